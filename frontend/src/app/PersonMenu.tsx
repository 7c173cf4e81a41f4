import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { ChevronDown, LogOut, UserRound } from "lucide-react";
import { THEMES } from "@/components/ThemeSwitch";
import { useTheme } from "@/components/theme";
import { Menu, MenuItem, MenuLink, MenuNote, MenuRadioGroup, MenuSeparator } from "@/components/ui/Menu";
import { toastError } from "@/components/ui/toasts";
import { chooseLanguage, currentLanguage, LANGUAGES } from "@/i18n/language";
import { useSession } from "@/session/session";

/** The menu of the signed-in person: account, sign out, language, theme. */
export function PersonMenu() {
  const { person, leave } = useSession();
  const login = person.name;
  const [theme, chooseTheme] = useTheme();
  const signOut = () => leave().catch((error) => toastError(t`Could not sign you out.`, error));
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t`Account: ${{ name: person.display_name }}`}
          className="flex h-10 pointer-coarse:h-11 max-w-48 items-center gap-2 rounded-md px-2 text-sm hover:bg-ink/8 data-popup-open:bg-ink/8"
        >
          <UserRound className="size-[1.125rem] shrink-0 text-quiet" aria-hidden />
          <span className="truncate max-lg:hidden">{person.display_name}</span>
          <ChevronDown className="size-3.5 shrink-0 text-quiet" aria-hidden />
        </button>
      }
    >
      <MenuNote>
        <Trans>
          Signed in as <span className="font-medium text-ink">{login}</span>
        </Trans>
      </MenuNote>
      <MenuSeparator />
      <MenuLink icon={<UserRound aria-hidden />} render={<Link to="/account" />}>
        {t`Account`}
      </MenuLink>
      <MenuItem icon={<LogOut aria-hidden />} onClick={signOut}>
        {t`Sign out`}
      </MenuItem>
      <MenuSeparator />
      <MenuRadioGroup
        label={t`Language`}
        value={currentLanguage()}
        onValueChange={chooseLanguage}
        choices={LANGUAGES}
      />
      <MenuSeparator />
      <MenuRadioGroup label={t`Theme`} value={theme} onValueChange={chooseTheme} choices={THEMES} />
    </Menu>
  );
}
