/** The one function of Node that tests here need, to read the sample files as bytes. */
declare module "node:fs" {
  export function readFileSync(path: URL): Uint8Array<ArrayBuffer>;
}
