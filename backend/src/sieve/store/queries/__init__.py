"""Queries and updates, a file for each subject: functions of a session, plain values and `now_ns`.

None of them commits: the caller puts what belongs together into one `Database.write` block.
"""
