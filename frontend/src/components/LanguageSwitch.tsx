import { t } from "@lingui/core/macro";
import { chooseLanguage, currentLanguage, LANGUAGES, type Language } from "@/i18n/language";
import { SegmentedControl } from "./ui/SegmentedControl";

/** The choice of the interface's language, which reloads the page. */
export function LanguageSwitch({ className = "" }: { className?: string }) {
  return (
    <SegmentedControl<Language>
      label={t`Language`}
      value={currentLanguage()}
      onValueChange={chooseLanguage}
      segments={LANGUAGES}
      className={className}
    />
  );
}
