/** Chromium, headless, over its debugging protocol. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Opens `address`; the page can be asked and given keys until it is closed. */
export async function openPage(address) {
  const profile = mkdtempSync(join(tmpdir(), "sieve-bench-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--remote-debugging-port=0"];
  const child = spawn(CHROMIUM, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const endpoint = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = /ws:\/\/\S+/.exec(said);
      if (found) resolve(new URL(found[0]));
    });
    child.on("exit", () => reject(new Error(`Chromium ended: ${said}`)));
  });
  const targets = await (await fetch(`http://${endpoint.host}/json`)).json();
  const socket = new WebSocket(targets.find(({ type }) => type === "page").webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve));

  const waiting = new Map();
  const loaded = Promise.withResolvers();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === "Page.loadEventFired") loaded.resolve();
    if (message.method === "Runtime.exceptionThrown")
      console.error(message.params.exceptionDetails.exception?.description);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const send = async (method, params = {}) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  await send("Page.enable");
  await send("Runtime.enable");
  await send("Page.navigate", { url: address });
  await loaded.promise;

  return {
    send,
    async ask(expression) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async press(key, modifiers = 0) {
      const code = key.length === 1 ? `Key${key.toUpperCase()}` : key;
      const virtual = {
        Enter: 13,
        Backspace: 8,
        Delete: 46,
        ArrowLeft: 37,
        ArrowRight: 39,
        Home: 36,
        End: 35,
        F8: 119,
      };
      const windowsVirtualKeyCode = virtual[key] ?? key.toUpperCase().charCodeAt(0);
      const text = modifiers & ~8 ? undefined : key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
      const event = { key, code, modifiers, windowsVirtualKeyCode };
      await send("Input.dispatchKeyEvent", { ...event, type: text ? "keyDown" : "rawKeyDown", text });
      await send("Input.dispatchKeyEvent", { ...event, type: "keyUp" });
    },
    async close() {
      socket.close();
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
