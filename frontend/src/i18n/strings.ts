/** Finds texts in source code that people would read and that no macro translates. For tests. */
import { type ESTree, parseSync } from "vite";

type Node = ESTree.Node;

/** Two letters in a row: text, not a symbol. */
const WORD = /\p{L}\p{Ll}/u;
/** A sentence or a label: a capital and a small letter, or words with a space between. */
const SENTENCE = /^\W*\p{Lu}\p{Ll}|\p{L}[,;:.]? \p{L}/u;
/** A list of Tailwind's classes, a selector, a media query, a path, an address. */
const CODE = /(^|\s)[a-z-]+(-|:|\/)[\w[(]|^[#.[@]|[<>=]|^\S*[/_]\S*$/;

/** A comment with this, on the line of a string, above it or above the declaration around it, says that no person reads it. */
const NOT_A_TEXT = "not a text";

/** Attributes that are neither seen nor heard. */
const SILENT =
  /^(className|class|style|key|id|name|to|from|href|src|type|kind|role|rel|d|viewBox|points|transform|.*Class|.*ClassName)$/;
/** Properties of variants and keys of the keyboard, and the name of an error's class. */
const SILENT_PROPERTIES = /^(is|key|keys|kind)$/;
/** Functions whose arguments no person reads. */
const SILENT_CALLS =
  /^(cx|querySelector|querySelectorAll|closest|matches|addEventListener|removeEventListener|dispatchEvent|getItem|setItem|removeItem|setAttribute|getAttribute|matchMedia|createElement|startsWith|endsWith|includes|indexOf|split|has|get|getRouteApi|Error|TypeError|RangeError|SpanError|RegExp|URL|Event|CustomEvent|KeyboardEvent)$/;
const MACROS = /^(t|msg|defineMessage|plural|select|selectOrdinal|ph|Trans|Plural|Select|SelectOrdinal)$/;

/** The texts of a module that are outside the catalogue, each as `file:line: text`. */
export function stringsOutside(file: string, code: string): string[] {
  const found: string[] = [];
  const { program, errors } = parseSync(file, code, { astType: "ts" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const lines = code.split("\n");
  const lineOf = (at: number) => code.slice(0, at).split("\n").length;
  const report = (at: number, text: string) => {
    const line = lineOf(at);
    if ([lines[line - 1], lines[line - 2]].some((one) => one?.includes(NOT_A_TEXT))) return;
    found.push(`${file}:${line}: ${text.trim().replace(/\s+/g, " ")}`);
  };

  visit(program);
  return found;

  function visit(node: Node): void {
    if (isSilent(node)) return;
    if (/Declaration$/.test(node.type) && lines[lineOf(node.start) - 2]?.includes(NOT_A_TEXT)) return;
    if (node.type === "JSXText" && WORD.test(node.value) && node.value.trim() !== "Security Sieve")
      report(node.start, node.value);
    if (node.type === "Literal" && typeof node.value === "string" && isText(node.value)) report(node.start, node.value);
    if (node.type === "TemplateLiteral") {
      const text = node.quasis.map(({ value }) => value.cooked ?? "").join("…");
      if (isText(text)) report(node.start, text);
    }
    for (const child of children(node)) visit(child);
  }
}

function isText(text: string): boolean {
  return text !== "Security Sieve" && SENTENCE.test(text) && !CODE.test(text);
}

function isSilent(node: Node): boolean {
  if (node.type.startsWith("TS") && !/^TS(AsExpression|SatisfiesExpression|NonNullExpression)$/.test(node.type))
    return true;
  switch (node.type) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
      return true;
    case "TaggedTemplateExpression":
      return node.tag.type === "Identifier" && MACROS.test(node.tag.name);
    case "CallExpression":
    case "NewExpression": {
      const name = calleeName(node.callee);
      return MACROS.test(name) || SILENT_CALLS.test(name);
    }
    case "JSXElement": {
      const { name } = node.openingElement;
      return name.type === "JSXIdentifier" && MACROS.test(name.name);
    }
    case "JSXAttribute":
      return node.name.type === "JSXIdentifier" && SILENT.test(node.name.name);
    case "Property":
      return node.key.type === "Identifier" && SILENT_PROPERTIES.test(node.key.name);
    case "PropertyDefinition":
      return node.key.type === "Identifier" && node.key.name === "name";
    case "BinaryExpression":
      return true;
    default:
      return false;
  }
}

function calleeName(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : "";
}

/** A property's name, a `case` and a member's key are no texts. */
function* children(node: Node): Generator<Node> {
  for (const [key, value] of Object.entries(node)) {
    if ((key === "key" && node.type === "Property") || (key === "test" && node.type === "SwitchCase")) continue;
    if (key === "property" && node.type === "MemberExpression") continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "object" && one !== null && typeof one.type === "string") yield one as Node;
    }
  }
}
