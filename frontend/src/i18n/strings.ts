/** Finds texts in source code that people would read and that no macro translates. For tests. */
import { type ESTree, parseSync } from "vite";

type Node = ESTree.Node;

const PRODUCT = "Security Sieve";

/** Two letters in a row: text, not a symbol. */
const WORD = /\p{L}\p{Ll}/u;
/** A sentence or a label: a capital and a small letter, or words with a space between. */
const SENTENCE = /^\W*\p{Lu}\p{Ll}|\p{L}[,;:.]? \p{L}/u;
/** Surely a text, even with a word such as "e-mail", which a class could be, too. */
const WHOLE_SENTENCE = /^\p{Lu}\p{Ll}* .*\p{Ll}\.$/u;
/** A list of Tailwind's classes, a selector, a media query, a path, an address. */
const CODE = /(^|\s)[a-z-]+(-|:|\/)[\w[(]|^[#.[@]|[<>=]|^\S*[/_]\S*$/;

/** A comment with this, on the line of a string, above it or above the declaration around it, says that no person reads it. */
const NOT_A_TEXT = "not a text";

/** Attributes that are neither seen nor heard. */
const SILENT =
  /^(className|class|style|key|id|name|to|from|href|src|type|kind|role|rel|d|viewBox|points|transform|.*Class|.*ClassName)$/;
/** Attributes and properties that are always seen or heard, even one word in small letters. */
const HEARD =
  /^(aria-label|alt|caption|confirm|cancel|description|header|hint|label|lead|note|placeholder|says|title|what)$/;
/** Properties that no person reads. */
const SILENT_PROPERTIES = /^(queryKey|mutationKey|is|key|keys|id|type|kind|role|to|method|headers)$/;
/** Functions whose arguments no person reads. */
const SILENT_CALLS =
  /^(cx|lazyPage|setRequestHeader|getResponseHeader|querySelector|querySelectorAll|closest|matches|addEventListener|removeEventListener|dispatchEvent|getItem|setItem|removeItem|setAttribute|getAttribute|matchMedia|createElement|startsWith|endsWith|includes|indexOf|split|has|get|getRouteApi|Error|TypeError|RangeError|SpanError|RegExp|URL|Event|CustomEvent|KeyboardEvent)$/;
const MACROS = /^(t|msg|defineMessage|plural|select|selectOrdinal|ph)$/;
const MACRO_ELEMENTS = /^(Trans|Plural|Select|SelectOrdinal)$/;

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

  visit(program, { translated: false, heard: false });
  return found;

  function visit(node: Node, around: Around): void {
    if (isSilent(node)) return;
    if (/Declaration$/.test(node.type) && lines[lineOf(node.start) - 2]?.includes(NOT_A_TEXT)) return;
    if (node.type === "JSXText" && !around.translated && WORD.test(node.value)) report(node.start, node.value);
    const text = textOf(node);
    if (text !== null && (isText(text) || (around.heard && WORD.test(text)))) report(node.start, text);
    for (const [key, child] of children(node)) visit(child, aroundChild(node, key, child, around));
  }
}

/** `translated`: inside the macro `Trans`. `heard`: a string here is a text, even one word in small letters. */
interface Around {
  readonly translated: boolean;
  readonly heard: boolean;
}

function aroundChild(node: Node, key: string, child: Node, around: Around): Around {
  const translated = around.translated || isMacroElement(node);
  switch (node.type) {
    case "JSXElement":
    case "JSXFragment":
      return { translated, heard: key === "children" && child.type === "JSXExpressionContainer" && !translated };
    case "JSXAttribute":
      return { translated: false, heard: HEARD.test(nameOf(node.name)) };
    case "Property":
      return { translated: false, heard: HEARD.test(nameOf(node.key)) };
    case "ConditionalExpression":
      return { translated, heard: around.heard && key !== "test" };
    case "LogicalExpression":
      return { translated, heard: around.heard && (key === "right" || node.operator !== "&&") };
    case "JSXExpressionContainer":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return { translated, heard: around.heard };
    default:
      return { translated, heard: false };
  }
}

function textOf(node: Node): string | null {
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? "").join("…");
  return node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}

function isText(text: string): boolean {
  return SENTENCE.test(text) && (!CODE.test(text) || WHOLE_SENTENCE.test(text));
}

function isMacroElement(node: Node): boolean {
  return node.type === "JSXElement" && MACRO_ELEMENTS.test(nameOf(node.openingElement.name));
}

function nameOf(node: Node): string {
  if (node.type === "Identifier" || node.type === "JSXIdentifier") return node.name;
  return node.type === "Literal" ? String(node.value) : "";
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
    case "JSXText":
      return node.value.trim() === PRODUCT;
    case "JSXAttribute":
      return SILENT.test(nameOf(node.name));
    case "Property":
      return SILENT_PROPERTIES.test(nameOf(node.key));
    case "PropertyDefinition":
      return nameOf(node.key) === "name";
    case "BinaryExpression":
      return node.operator !== "+";
    case "Literal":
      return node.value === PRODUCT;
    default:
      return false;
  }
}

function calleeName(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : "";
}

/** A property's name, a `case` and a member's key are no texts. */
function* children(node: Node): Generator<[key: string, child: Node]> {
  for (const [key, value] of Object.entries(node)) {
    if ((key === "key" && node.type === "Property") || (key === "test" && node.type === "SwitchCase")) continue;
    if (key === "property" && node.type === "MemberExpression") continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "object" && one !== null && typeof one.type === "string") yield [key, one as Node];
    }
  }
}
