import { globSync, readFileSync } from "node:fs";
import { lingui } from "@lingui/vite-plugin";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { loadEnv, type Plugin, type Rolldown } from "vite";
import { defineConfig } from "vitest/config";

/** Tests that replace modules, or that draw on a canvas, for which globals change. */
const REPLACING = globSync("src/**/*.test.{ts,tsx}", { cwd: import.meta.dirname }).filter((path) =>
  /\bvi\.mock\(|"@\/test\/canvas"/.test(readFileSync(new URL(path, import.meta.url), "utf8")),
);

// What is built runs under a policy without inline scripts, inline styles and eval: no polyfill, no inlined assets.
export default defineConfig(({ mode }) => {
  const gateway = loadEnv(mode, ".", "SIEVE_").SIEVE_GATEWAY ?? "http://127.0.0.1:8080";
  return {
    plugins: [
      // English stays in the code of each page; only French is loaded from catalogues.
      lingui({
        macroTransform: { macro: { descriptorFields: "message" } },
        failOnMissing: true,
        failOnCompileError: true,
      }),
      react(),
      tailwindcss(),
      preloadApp(),
    ],
    resolve: {
      alias: {
        "@": new URL("./src", import.meta.url).pathname,
        // Its form for browsers sets innerHTML, which the policy forbids.
        "decode-named-character-reference": new URL(
          "./node_modules/decode-named-character-reference/index.js",
          import.meta.url,
        ).pathname,
      },
    },
    build: {
      target: ["chrome123", "edge123", "firefox121", "safari17.5"],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: {
          // Few files: each costs the browser and the gateway a request. By default each set of pages that share something has
          // a file of its own, and the first page took 134. A module is in the file of the highest priority.
          codeSplitting: {
            groups: [
              { name: importsOf("main.tsx", "start"), debugName: "start", priority: 4 },
              // What changes with a dependency and not with us stays in browsers' caches.
              { name: "react", priority: 3, test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
              {
                name: "tanstack",
                priority: 3,
                test: /node_modules[\\/]@tanstack[\\/](query-core|react-query|react-router|router-core|history|react-store|store)[\\/]/,
              },
              { name: importsOf("app/render-app.tsx", "app"), debugName: "app", priority: 2 },
              // Not the modules of the bundler itself (\0): start needs them, and would load all of it before the language.
              { name: "common", priority: 1, minShareCount: 5, test: (id) => !id.startsWith("\0") },
            ],
          },
        },
      },
    },
    server: {
      host: "127.0.0.1",
      proxy: { "/api": { target: gateway } },
      // The guide and the examples of policies are the documents' own.
      fs: { allow: [".", "../docs"] },
    },
    test: {
      setupFiles: ["src/test/setup.ts"],
      restoreMocks: true,
      testTimeout: 60_000,
      // By default one processor is left to others, which on two is half of them.
      maxWorkers: "100%",
      // Several files share a process and the modules that they import, which saves half of the processor time. So each
      // must undo what it changes in globals and modules. Files of `replacing` have a process of their own.
      // A page for each file takes its time: what needs none says so by its name, *.test.ts. Those of them that need one
      // all the same begin with `@vitest-environment jsdom`.
      projects: [
        { name: "pages", environment: "jsdom", include: ["src/**/*.test.tsx"], exclude: REPLACING, isolate: false },
        { name: "code", environment: "node", include: ["src/**/*.test.ts"], exclude: REPLACING, isolate: false },
        { name: "replacing", environment: "jsdom", include: REPLACING },
      ].map((test) => ({ extends: true, test })),
    },
  };
});

/** Names the chunk `name` for all modules that one of ours imports before it runs itself. */
function importsOf(path: string, name: string): Rolldown.CodeSplittingNameFunction {
  const imported = new Set<string>();
  return (id, context) => {
    const add = (importer: string): void => {
      for (const other of context.getModuleInfo(importer)?.importedIds ?? []) {
        if (imported.has(other)) continue;
        imported.add(other);
        add(other);
      }
    };
    if (imported.size === 0) add(new URL(`src/${path}`, import.meta.url).pathname);
    return imported.has(id) ? name : null;
  };
}

/** Lets the browser fetch the app, with all that it imports, while main.tsx still loads the language. */
function preloadApp(): Plugin {
  return {
    name: "preload-app",
    transformIndexHtml(_html, { bundle, chunk: entry }) {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === "chunk");
      const withImports = (name: string): string[] => {
        const chunk = chunks.find(({ fileName }) => fileName === name);
        return chunk ? [name, ...chunk.imports.flatMap(withImports)] : [];
      };
      const app = chunks.find(({ name }) => name === "render-app");
      const linked = new Set(entry?.imports.flatMap(withImports));
      return [...new Set(app && withImports(app.fileName))]
        .filter((name) => !linked.has(name))
        .map((name) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `/${name}` } }));
    },
  };
}
