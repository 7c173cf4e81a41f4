"""Questions to the database and changes of it, a file an idea: functions of a session, plain values and `now_ns`.

None of them commits: what belongs together is one `Database.write` block of the caller's.
"""
