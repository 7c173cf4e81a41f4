import { i18n } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";

/** English texts are in the source. Each is compiled when it is first shown. */
export function startEnglish(): void {
  const compiled = new Map<string, ReturnType<typeof compileMessage>>();
  i18n.setMessagesCompiler((message) => {
    const known = compiled.get(message) ?? compileMessage(message);
    compiled.set(message, known);
    return known;
  });
  i18n.loadAndActivate({ locale: "en", messages: {} });
}
