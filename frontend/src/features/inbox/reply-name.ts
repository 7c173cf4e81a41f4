/** The name of a reply, which is a text: "Re: plan.txt" for "plan.docx" and for "Re: plan.txt". */
export function replyName(name: string): string {
  const stem = name.replace(/^(re: *)+/i, "").replace(/\.[^.\s]{1,8}$/, "");
  // The name of a file: the same in all languages. not a text
  return `Re: ${stem || "document"}.txt`;
}
