"""Which browser and system a User-Agent header names, for people who look at where they are signed in."""

from typing import Final

# In this order: most browsers also name others.
_BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def device_of(user_agent: str) -> str | None:
    """Such as "Firefox on Linux"; None if the header names no browser that we know."""
    browser = next((name for sign, name in _BROWSERS if sign in user_agent), None)
    system = next((name for sign, name in _SYSTEMS if sign in user_agent), None)
    return f"{browser} on {system}" if browser and system else browser
