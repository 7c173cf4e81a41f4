/** What may import what: the arrows of the interface. Biome finds the modules that import each other. */
const rule = (name, comment, from, to) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: to },
});

export default {
  forbidden: [
    {
      name: "no-circle",
      comment: "Imports between folders, and between features, go one way: move what two of them need below both.",
      severity: "error",
      scope: "folder",
      from: { path: "^src/([^/]+|features/[^/]+)$" },
      to: { circular: true },
    },
    rule(
      "ground",
      "lib, api and marked-text are below the interface: they import none of it.",
      "^src/(lib|api|i18n|marked-text)/",
      "^src/(app|session|components|features)/|^node_modules/react-dom/",
    ),
    rule(
      "components",
      "Components know no page and no signed-in person: pass in what they need.",
      "^src/components/",
      "^src/(app|session|features)/",
    ),
    rule("features", "Only app knows all features; they know nothing of it.", "^src/(session|features)/", "^src/app/"),
    rule(
      "workspace",
      "The document page knows no kind of document: each kind passes in what differs.",
      "^src/features/workspace/",
      "^src/features/(text|files)/",
    ),
    rule("files", "Files and texts share only features/workspace.", "^src/features/files/", "^src/features/text/"),
    rule("texts", "Files and texts share only features/workspace.", "^src/features/text/", "^src/features/files/"),
    rule(
      "text-editors",
      "The two text editors share features/text and marked-text; neither imports the other.",
      "^src/features/text/(tiptap|long)/",
      "^src/features/text/(?!$1)(tiptap|long)/",
    ),
    rule(
      "engines",
      "An editor's engine knows neither React nor the network.",
      "^src/features/text/[^/]+/engine/",
      "^src/(api|app|session|components)/|^node_modules/react(-dom)?/",
    ),
  ],
  options: {
    doNotFollow: { path: "^node_modules/" },
    exclude: { path: "[.](test|fixture)[.]|^src/test/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
