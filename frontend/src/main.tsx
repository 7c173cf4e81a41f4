import "./index.css";
import { startLanguage } from "./i18n/start";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element #root");

// Modules with texts are imported only after the language is loaded, because they may translate while they load.
await startLanguage();
const { renderApp } = await import("./app/render-app");
renderApp(root);
