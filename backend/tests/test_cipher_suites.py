"""Which suites may be asked for, and what is said of the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.cipher_suites import (
    OLDER,
    TLS_1_2,
    TLS_1_3,
    check,
    iana_name,
    of_older,
    of_tls_1_2,
    of_tls_1_3,
    openssl_name,
    rejection_reason,
    split,
    warning,
)

SAFE = (*TLS_1_3, *TLS_1_2)
some = st.lists(st.sampled_from(SAFE), min_size=1, unique=True)


@given(some)
def test_every_order_of_safe_suites_may_be_asked_for_and_is_kept(names: list[str]) -> None:
    check(names, older=False)
    assert split(",".join(names)) == split(" , ".join(names)) == tuple(names)
    assert sorted((*of_tls_1_3(names), *of_tls_1_2(names))) == sorted(names)
    for part in (of_tls_1_3(names), of_tls_1_2(names)):
        assert list(part) == [name for name in names if name in part]
    assert (warning(names) is None) == all(name in TLS_1_3 for name in names)


def test_all_of_them_are_ephemeral_and_authenticated() -> None:
    for name in TLS_1_2:
        assert name.startswith("TLS_ECDHE_") and ("_GCM_" in name or "_POLY1305_" in name)


def test_names_go_to_openssl_and_back() -> None:
    for name in (*TLS_1_2, *OLDER):
        assert iana_name(openssl_name(name)) == name
    for name in TLS_1_3:
        assert iana_name(name) == name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("TLS_DH_anon_WITH_AES_256_GCM_SHA384", "aNULL"),
        ("TLS_ECDH_anon_WITH_AES_128_CBC_SHA", "aNULL"),
        ("TLS_ECDHE_RSA_WITH_NULL_SHA", "eNULL"),
        ("TLS_RSA_WITH_NULL_SHA256", "eNULL"),
        ("TLS_SHA256_SHA256", "eNULL"),
        ("TLS_DH_anon_WITH_AES_128_CBC_SHA", "aNULL"),
        ("TLS_ECDHE_ECDSA_WITH_NULL_SHA", "eNULL"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA", "static RSA"),
        ("TLS_RSA_WITH_AES_256_GCM_SHA384", "static RSA"),
        ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", "static RSA"),
        ("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "AEAD"),
        ("TLS_ECDHE_RSA_WITH_RC4_128_SHA", "AEAD"),
        ("TLS_AES_128_CCM_8_SHA256", "shortened"),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", "shortened"),
        ("ECDHE-RSA-AES256-GCM-SHA384", "IANA"),
        ("ALL", "IANA"),
        ("tls_aes_256_gcm_sha384", "IANA"),
        ("", "IANA"),
    ],
)
def test_others_are_refused_with_what_they_lack_and_what_is_allowed(name: str, says: str) -> None:
    for names, number in (([name], 1), ([TLS_1_3[0], name], 2)):
        with pytest.raises(ValueError, match=f"entry {number} ") as caught:
            check(names, older=False)
        told = str(caught.value)
        assert says in told and says in rejection_reason(name)
        assert all(allowed in told for allowed in SAFE)
        assert "\n" not in told


def test_older_ones_only_for_measuring() -> None:
    for name in OLDER:
        with pytest.raises(ValueError):
            check([name], older=False)
        check([name], older=True)
        assert of_older([name, TLS_1_3[0]]) == (name,)
        assert "not safe" in str(warning([name]))
    for lacking in ("TLS_RSA_WITH_NULL_SHA256", "TLS_DH_anon_WITH_AES_256_GCM_SHA384"):
        with pytest.raises(ValueError):
            check([lacking], older=True)


def test_a_suite_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="entry 3 repeats an earlier entry"):
        check([TLS_1_3[0], TLS_1_3[1], TLS_1_3[0]], older=False)
