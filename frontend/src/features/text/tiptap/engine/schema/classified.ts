import { Mark } from "@tiptap/core";
import { CLASS } from "@/marked-text/class-names";

/**
 * Classified text. The id distinguishes spans that touch; it means nothing outside the editor and changes with each load.
 * A `<mark>`, because assistive technology knows it and forced colours keep it; its begin and end are said by the style
 * sheet (`::before`, `::after`), line by line, as a screen reader reads.
 */
export const ClassifiedMark = Mark.create({
  name: "classified",
  inclusive: true,

  addAttributes() {
    return {
      id: {
        default: 0,
        parseHTML: (element) => Number.parseInt(element.dataset.span ?? "", 10) || 0,
        renderHTML: ({ id }) => ({ "data-span": id }),
      },
    };
  },

  parseHTML() {
    return [{ tag: `mark.${CLASS.classified}` }];
  },

  renderHTML({ HTMLAttributes }) {
    return ["mark", { ...HTMLAttributes, class: CLASS.classified }, 0];
  },
});
