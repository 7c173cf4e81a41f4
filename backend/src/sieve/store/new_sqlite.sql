CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE blobs (
	id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	key_id VARCHAR, 
	wrapped_key BLOB, 
	created_at_ns BIGINT NOT NULL, content BLOB, tags BLOB, 
	CONSTRAINT pk_blobs PRIMARY KEY (id), 
	CONSTRAINT ck_blobs_kind CHECK (kind IN ('plain', 'sealed'))
);
CREATE TABLE marks (
	id INTEGER NOT NULL, 
	transfer_id VARCHAR NOT NULL, 
	attempt BIGINT NOT NULL, 
	role VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	channel VARCHAR NOT NULL, 
	at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_marks PRIMARY KEY (id), 
	CONSTRAINT ck_marks_role CHECK (role IN ('sender', 'receiver'))
);
CREATE INDEX ix_marks_transfer_id ON marks (transfer_id);
CREATE TABLE peers (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	secure_url VARCHAR NOT NULL, 
	plain_url VARCHAR NOT NULL, 
	ca_der BLOB NOT NULL, 
	receipt_key BLOB NOT NULL, 
	state VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	confirmed_at_ns BIGINT, 
	removed_at_ns BIGINT, 
	CONSTRAINT pk_peers PRIMARY KEY (id), 
	CONSTRAINT ck_peers_state CHECK (state IN ('unconfirmed', 'active', 'removed'))
);
CREATE UNIQUE INDEX uq_peers_name ON peers (name) WHERE state != 'removed';
CREATE TABLE users (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	display_name VARCHAR NOT NULL, 
	is_author BOOLEAN NOT NULL, 
	is_recipient BOOLEAN NOT NULL, 
	is_admin BOOLEAN NOT NULL, 
	cleared BOOLEAN NOT NULL, 
	password_hash VARCHAR, 
	disabled_at_ns BIGINT, 
	created_at_ns BIGINT NOT NULL, unit VARCHAR, email VARCHAR, email_notifications BOOLEAN DEFAULT '0' NOT NULL, is_service BOOLEAN DEFAULT 0 NOT NULL, admin_confirmed BOOLEAN DEFAULT 0 NOT NULL, cleared_since_ns BIGINT, locked_before_ns BIGINT, sso_issuer VARCHAR, sso_subject VARCHAR, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_name UNIQUE (name)
);
CREATE TABLE breakers (
	peer_id VARCHAR NOT NULL, 
	failures INTEGER NOT NULL, 
	open_until_ns BIGINT, 
	CONSTRAINT pk_breakers PRIMARY KEY (peer_id), 
	CONSTRAINT fk_breakers_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE TABLE documents (
	id VARCHAR NOT NULL, 
	owner_id VARCHAR, 
	origin VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	media_type VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	classified_size BIGINT NOT NULL, 
	plain_digest VARCHAR NOT NULL, 
	plain_blob_id VARCHAR NOT NULL, 
	sealed_blob_id VARCHAR NOT NULL, 
	sieve_ns BIGINT NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	deleted_at_ns BIGINT, draft_id VARCHAR CONSTRAINT fk_documents_draft_id REFERENCES drafts (id), revision INTEGER, format VARCHAR, marks INTEGER, marks_blob_id VARCHAR CONSTRAINT fk_documents_marks_blob_id REFERENCES blobs (id), redacted_blob_id VARCHAR CONSTRAINT fk_documents_redacted_blob_id REFERENCES blobs (id), redacted_size BIGINT, before_restore BOOLEAN DEFAULT 0 NOT NULL, locked BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_documents PRIMARY KEY (id), 
	CONSTRAINT ck_documents_origin CHECK (origin IN ('authored', 'received')), 
	CONSTRAINT fk_documents_owner_id FOREIGN KEY(owner_id) REFERENCES users (id), 
	CONSTRAINT fk_documents_plain_blob_id FOREIGN KEY(plain_blob_id) REFERENCES blobs (id), 
	CONSTRAINT fk_documents_sealed_blob_id FOREIGN KEY(sealed_blob_id) REFERENCES blobs (id)
);
CREATE INDEX ix_documents_owner_id ON documents (owner_id);
CREATE TABLE peer_pins (
	id VARCHAR NOT NULL, 
	peer_id VARCHAR NOT NULL, 
	pin VARCHAR NOT NULL, 
	added_at_ns BIGINT NOT NULL, 
	retired_at_ns BIGINT, 
	CONSTRAINT pk_peer_pins PRIMARY KEY (id), 
	CONSTRAINT fk_peer_pins_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE INDEX ix_peer_pins_peer_id ON peer_pins (peer_id);
CREATE TABLE tokens (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	expires_at_ns BIGINT, 
	last_used_at_ns BIGINT, 
	revoked_at_ns BIGINT, scopes VARCHAR DEFAULT 'send read admin' NOT NULL, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_tokens_hash UNIQUE (hash)
);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE TABLE received (
	id VARCHAR NOT NULL, 
	peer_id VARCHAR NOT NULL, 
	transfer_id VARCHAR NOT NULL, 
	manifest_digest VARCHAR NOT NULL, 
	manifest_blob_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	sender_name VARCHAR NOT NULL, 
	mode VARCHAR NOT NULL, 
	receipt VARCHAR NOT NULL, 
	received_at_ns BIGINT NOT NULL, 
	deadline_at_ns BIGINT NOT NULL, cover BLOB, read_receipts BOOLEAN DEFAULT 0 NOT NULL, in_reply_to VARCHAR, 
	CONSTRAINT pk_received PRIMARY KEY (id), 
	CONSTRAINT fk_received_document_id FOREIGN KEY(document_id) REFERENCES documents (id), 
	CONSTRAINT fk_received_manifest_blob_id FOREIGN KEY(manifest_blob_id) REFERENCES blobs (id), 
	CONSTRAINT fk_received_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id), 
	CONSTRAINT uq_received_peer_id_transfer_id UNIQUE (peer_id, transfer_id)
);
CREATE INDEX ix_received_document_id ON received (document_id);
CREATE TABLE transfers (
	id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	author_id VARCHAR NOT NULL, 
	peer_id VARCHAR NOT NULL, 
	mode VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	manifest_blob_id VARCHAR NOT NULL, 
	manifest_digest VARCHAR NOT NULL, 
	recipients_checked BOOLEAN NOT NULL, 
	attempt BIGINT NOT NULL, 
	lease_token VARCHAR, 
	lease_until_ns BIGINT, 
	next_try_at_ns BIGINT, 
	reason VARCHAR, 
	fruitless_tries INTEGER NOT NULL, 
	deadline_at_ns BIGINT NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	verified_at_ns BIGINT, 
	delivered_at_ns BIGINT, 
	receipt VARCHAR, 
	cancel_requested BOOLEAN NOT NULL, secure_channels INTEGER DEFAULT '1' NOT NULL, plain_channels INTEGER DEFAULT '1' NOT NULL, split VARCHAR DEFAULT 'range' NOT NULL, "plan" VARCHAR, batch_id VARCHAR, batch_size INTEGER, redacted_size BIGINT, redacted_note VARCHAR, off_plain BOOLEAN DEFAULT 0 NOT NULL, peer_holds BIGINT DEFAULT '0' NOT NULL, unreachable_since_ns BIGINT, marks_size BIGINT, cover BLOB, read_receipts BOOLEAN DEFAULT 0 NOT NULL, reply_to_id VARCHAR, 
	CONSTRAINT pk_transfers PRIMARY KEY (id), 
	CONSTRAINT ck_transfers_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL)), 
	CONSTRAINT ck_transfers_state CHECK (state IN ('queued', 'sending', 'delivered', 'failed', 'cancelled')), 
	CONSTRAINT fk_transfers_author_id FOREIGN KEY(author_id) REFERENCES users (id), 
	CONSTRAINT fk_transfers_document_id FOREIGN KEY(document_id) REFERENCES documents (id), 
	CONSTRAINT fk_transfers_manifest_blob_id FOREIGN KEY(manifest_blob_id) REFERENCES blobs (id), 
	CONSTRAINT fk_transfers_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE INDEX ix_transfers_document_id ON transfers (document_id);
CREATE INDEX ix_transfers_state_next_try_at_ns ON transfers (state, next_try_at_ns);
CREATE TABLE attempts (
	transfer_id VARCHAR NOT NULL, 
	number BIGINT NOT NULL, 
	"plan" VARCHAR, 
	started_at_ns BIGINT NOT NULL, 
	ended_at_ns BIGINT, 
	outcome VARCHAR, 
	reason VARCHAR, 
	receiver_durations VARCHAR, secure_left BIGINT, plain_left BIGINT, 
	CONSTRAINT pk_attempts PRIMARY KEY (transfer_id, number), 
	CONSTRAINT ck_attempts_outcome CHECK (outcome IN ('delivered', 'again', 'failed', 'cancelled', 'lost')), 
	CONSTRAINT fk_attempts_transfer_id FOREIGN KEY(transfer_id) REFERENCES transfers (id)
);
CREATE TABLE inbox (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	received_id VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	read_at_ns BIGINT, 
	deleted_at_ns BIGINT, trashed_at_ns BIGINT, locked BOOLEAN DEFAULT 0 NOT NULL, before_clearance BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_inbox PRIMARY KEY (id), 
	CONSTRAINT fk_inbox_received_id FOREIGN KEY(received_id) REFERENCES received (id), 
	CONSTRAINT fk_inbox_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_inbox_user_id_received_id UNIQUE (user_id, received_id)
);
CREATE INDEX ix_inbox_received_id ON inbox (received_id);
CREATE TABLE transfer_recipients (
	transfer_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, display_name VARCHAR, opened_at_ns BIGINT, 
	CONSTRAINT pk_transfer_recipients PRIMARY KEY (transfer_id, name), 
	CONSTRAINT fk_transfer_recipients_transfer_id FOREIGN KEY(transfer_id) REFERENCES transfers (id)
);
CREATE TABLE sessions (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	expires_at_ns BIGINT NOT NULL, 
	last_used_at_ns BIGINT NOT NULL, confirmed_at_ns BIGINT, device VARCHAR, source VARCHAR, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_sessions_hash UNIQUE (hash)
);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE TABLE one_time_links (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	expires_at_ns BIGINT NOT NULL, 
	used_at_ns BIGINT, made_by_id VARCHAR, 
	CONSTRAINT pk_one_time_links PRIMARY KEY (id), 
	CONSTRAINT fk_one_time_links_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_one_time_links_hash UNIQUE (hash)
);
CREATE INDEX ix_one_time_links_user_id ON one_time_links (user_id);
CREATE TABLE sign_in_failures (
	"key" VARCHAR NOT NULL, 
	failures INTEGER NOT NULL, 
	last_at_ns BIGINT NOT NULL, 
	blocked_until_ns BIGINT NOT NULL, 
	CONSTRAINT pk_sign_in_failures PRIMARY KEY ("key")
);
CREATE TABLE drafts (
	id VARCHAR NOT NULL, 
	owner_id VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	changed_at_ns BIGINT NOT NULL, 
	deleted_at_ns BIGINT, trashed_at_ns BIGINT, forwarded_from VARCHAR, is_template BOOLEAN DEFAULT 0 NOT NULL, reply_to VARCHAR, locked BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_drafts PRIMARY KEY (id), 
	CONSTRAINT fk_drafts_owner_id FOREIGN KEY(owner_id) REFERENCES users (id)
);
CREATE INDEX ix_drafts_owner_id ON drafts (owner_id);
CREATE UNIQUE INDEX uq_documents_draft_id_revision ON documents (draft_id, revision);
CREATE INDEX ix_documents_plain_blob_id ON documents (plain_blob_id);
CREATE INDEX ix_documents_sealed_blob_id ON documents (sealed_blob_id);
CREATE INDEX ix_transfers_manifest_blob_id ON transfers (manifest_blob_id);
CREATE INDEX ix_received_manifest_blob_id ON received (manifest_blob_id);
CREATE INDEX ix_documents_marks_blob_id ON documents (marks_blob_id);
CREATE TABLE policies (
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	deleted_at_ns BIGINT, 
	CONSTRAINT pk_policies PRIMARY KEY (name)
);
CREATE TABLE policy_versions (
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	title VARCHAR NOT NULL, 
	rules INTEGER NOT NULL, 
	guard BOOLEAN NOT NULL, 
	written_in VARCHAR NOT NULL, 
	source BLOB NOT NULL, 
	changed_at_ns BIGINT NOT NULL, 
	changed_by VARCHAR NOT NULL, whole_words BOOLEAN, 
	CONSTRAINT pk_policy_versions PRIMARY KEY (name, version), 
	CONSTRAINT ck_policy_versions_written_in CHECK (written_in IN ('toml', 'json')), 
	CONSTRAINT fk_policy_versions_name FOREIGN KEY(name) REFERENCES policies (name)
);
CREATE TABLE draft_labels (
	draft_id VARCHAR NOT NULL, 
	sealed BLOB NOT NULL, 
	CONSTRAINT pk_draft_labels PRIMARY KEY (draft_id), 
	CONSTRAINT fk_draft_labels_draft_id FOREIGN KEY(draft_id) REFERENCES drafts (id)
);
CREATE TABLE peer_costs (
	peer_id VARCHAR NOT NULL, 
	believed VARCHAR NOT NULL, 
	changed_at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_peer_costs PRIMARY KEY (peer_id), 
	CONSTRAINT fk_peer_costs_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE INDEX ix_transfers_peer_id_state_turn ON transfers (peer_id, state, next_try_at_ns, created_at_ns, id);
CREATE TABLE "audit_entries" (
	id VARCHAR NOT NULL, 
	at_ns BIGINT NOT NULL, 
	actor VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	details VARCHAR NOT NULL, 
	reason BLOB, 
	number INTEGER NOT NULL, 
	sealed_details BLOB, 
	link BLOB NOT NULL, linked_sealed_details VARCHAR, linked_reason VARCHAR, 
	CONSTRAINT pk_audit_entries PRIMARY KEY (id)
);
CREATE UNIQUE INDEX ix_audit_entries_number ON audit_entries (number);
CREATE TABLE audit_heads (
	number INTEGER NOT NULL, 
	link BLOB NOT NULL, 
	at_ns BIGINT NOT NULL, 
	signature BLOB NOT NULL, 
	CONSTRAINT pk_audit_heads PRIMARY KEY (number)
);
CREATE INDEX ix_documents_redacted_blob_id ON documents (redacted_blob_id) WHERE redacted_blob_id IS NOT NULL;
CREATE TABLE blob_folder (
	id VARCHAR NOT NULL, 
	CONSTRAINT pk_blob_folder PRIMARY KEY (id)
);
CREATE TABLE master_keys (
	id VARCHAR NOT NULL, 
	CONSTRAINT pk_master_keys PRIMARY KEY (id)
);
CREATE TABLE partials (
	peer_id VARCHAR NOT NULL, 
	transfer_id VARCHAR NOT NULL, 
	manifest_digest VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	deadline_at_ns BIGINT NOT NULL, 
	touched_at_ns BIGINT NOT NULL, 
	blob_ids VARCHAR NOT NULL, 
	kept BLOB NOT NULL, 
	CONSTRAINT pk_partials PRIMARY KEY (peer_id, transfer_id), 
	CONSTRAINT fk_partials_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE INDEX ix_documents_list ON documents (owner_id, created_at_ns, id) WHERE deleted_at_ns IS NULL AND draft_id IS NULL;
CREATE INDEX ix_inbox_oldest ON inbox (created_at_ns, id) WHERE deleted_at_ns IS NULL;
CREATE INDEX ix_transfers_list ON transfers (created_at_ns, id, state, peer_id, author_id);
CREATE INDEX ix_transfers_author_list ON transfers (author_id, created_at_ns, id, state, peer_id);
CREATE TABLE timing_records (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at_ns BIGINT NOT NULL, 
	direction VARCHAR NOT NULL, 
	transfer_id VARCHAR NOT NULL, 
	attempt BIGINT NOT NULL, 
	peer_id VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	mode VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	classified_size BIGINT NOT NULL, 
	secure_bytes BIGINT NOT NULL, 
	plain_bytes BIGINT NOT NULL, 
	secure_channels INTEGER NOT NULL, 
	plain_channels INTEGER NOT NULL, 
	suite VARCHAR NOT NULL, 
	batch INTEGER NOT NULL, 
	waiting_us BIGINT, 
	sieve_us BIGINT, 
	split_us BIGINT, 
	establishment_us BIGINT, 
	data_transfer_us BIGINT, 
	combine_us BIGINT, 
	integrate_us BIGINT, 
	storing_us BIGINT, 
	response_us BIGINT, 
	total_us BIGINT, 
	stored_us BIGINT, 
	predicted_us BIGINT, 
	other_us BIGINT, 
	clock_moved BOOLEAN NOT NULL, 
	sample INTEGER NOT NULL
, turnaround_us BIGINT, expected_us BIGINT, key_exchange VARCHAR);
CREATE INDEX ix_timing_records_transfer_id ON timing_records (transfer_id);
CREATE INDEX ix_timing_records_at_ns ON timing_records (at_ns);
CREATE INDEX ix_timing_records_sample_at_ns ON timing_records (sample, at_ns);
CREATE TABLE timing_groups (
	id INTEGER NOT NULL, 
	grain VARCHAR NOT NULL, 
	direction VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	mode VARCHAR NOT NULL, 
	peer_id VARCHAR NOT NULL, 
	size_class INTEGER NOT NULL, 
	share_class INTEGER NOT NULL, 
	channels VARCHAR NOT NULL, 
	suite VARCHAR NOT NULL, 
	batch_class INTEGER NOT NULL, 
	CONSTRAINT pk_timing_groups PRIMARY KEY (id), 
	CONSTRAINT uq_timing_groups UNIQUE (grain, direction, outcome, cause, mode, peer_id, size_class, share_class, channels, suite, batch_class)
);
CREATE TABLE timing_rollups (
	width_s INTEGER NOT NULL, 
	grain VARCHAR NOT NULL, 
	start_s BIGINT NOT NULL, 
	group_id BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	timed BIGINT NOT NULL, 
	clock_moved BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	secure_bytes BIGINT NOT NULL, 
	plain_bytes BIGINT NOT NULL, 
	waiting_us BIGINT NOT NULL, 
	sieve_us BIGINT NOT NULL, 
	split_us BIGINT NOT NULL, 
	establishment_us BIGINT NOT NULL, 
	data_transfer_us BIGINT NOT NULL, 
	combine_us BIGINT NOT NULL, 
	integrate_us BIGINT NOT NULL, 
	storing_us BIGINT NOT NULL, 
	response_us BIGINT NOT NULL, 
	total_us BIGINT NOT NULL, 
	stored_us BIGINT NOT NULL, 
	response_square_ms2 FLOAT NOT NULL, 
	predicted BIGINT NOT NULL, 
	within_two BIGINT NOT NULL, 
	other_faster BIGINT NOT NULL, response_counts BLOB DEFAULT (x'') NOT NULL, total_counts BLOB DEFAULT (x'') NOT NULL, stored_counts BLOB DEFAULT (x'') NOT NULL, waiting_counts BLOB DEFAULT (x'') NOT NULL, expected BIGINT DEFAULT 0 NOT NULL, expected_within_two BIGINT DEFAULT 0 NOT NULL, expected_us BIGINT DEFAULT 0 NOT NULL, turnaround_us BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_timing_rollups PRIMARY KEY (width_s, grain, start_s, group_id), 
	CONSTRAINT fk_timing_rollups_group_id FOREIGN KEY(group_id) REFERENCES timing_groups (id)
)
 WITHOUT ROWID

;
CREATE TABLE timing_state (
	id INTEGER NOT NULL, 
	rolled_up_id BIGINT NOT NULL, 
	kept_from_s BIGINT NOT NULL, 
	imported_to VARCHAR NOT NULL, 
	import_done BOOLEAN NOT NULL, rebuild_from_s BIGINT, 
	CONSTRAINT pk_timing_state PRIMARY KEY (id)
);
CREATE TABLE peer_directories (
	peer_id VARCHAR NOT NULL, 
	hello VARCHAR NOT NULL, 
	recipients VARCHAR NOT NULL, 
	said_at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_peer_directories PRIMARY KEY (peer_id), 
	CONSTRAINT fk_peer_directories_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE TABLE recipient_groups (
	id VARCHAR NOT NULL, 
	owner_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	members VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_recipient_groups PRIMARY KEY (id), 
	CONSTRAINT fk_recipient_groups_owner_id FOREIGN KEY(owner_id) REFERENCES users (id), 
	CONSTRAINT uq_recipient_groups_owner_id_name UNIQUE (owner_id, name)
);
CREATE TABLE notifications (
	entry_id VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	next_try_at_ns BIGINT NOT NULL, 
	tries INTEGER NOT NULL, 
	CONSTRAINT pk_notifications PRIMARY KEY (entry_id, target), 
	CONSTRAINT fk_notifications_entry_id_inbox FOREIGN KEY(entry_id) REFERENCES inbox (id)
);
CREATE INDEX ix_notifications_next_try_at_ns ON notifications (next_try_at_ns);
CREATE TABLE webhooks (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	url VARCHAR NOT NULL, 
	secret BLOB NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	sent_at_ns BIGINT, 
	problem VARCHAR, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id), 
	CONSTRAINT fk_webhooks_user_id_users FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE INDEX ix_webhooks_user_id ON webhooks (user_id);
CREATE INDEX ix_inbox_list ON inbox (user_id, created_at_ns, id, read_at_ns) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NULL;
CREATE INDEX ix_inbox_trash ON inbox (user_id, trashed_at_ns, id) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL;
CREATE INDEX ix_inbox_oldest_trash ON inbox (trashed_at_ns, id) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL;
CREATE INDEX ix_drafts_list ON drafts (owner_id, changed_at_ns, id) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NULL;
CREATE INDEX ix_drafts_trash ON drafts (owner_id, trashed_at_ns, id) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL;
CREATE INDEX ix_drafts_oldest_trash ON drafts (trashed_at_ns, id) WHERE deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL;
CREATE TABLE tags (
	item_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	owner_id VARCHAR NOT NULL, 
	CONSTRAINT pk_tags PRIMARY KEY (item_id, name), 
	CONSTRAINT fk_tags_owner_id FOREIGN KEY(owner_id) REFERENCES users (id)
);
CREATE INDEX ix_tags_owner_id_name ON tags (owner_id, name, item_id);
CREATE TABLE timing_accepted_hours (
	start_s BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_timing_accepted_hours PRIMARY KEY (start_s)
);
CREATE TABLE read_receipts (
	entry_id VARCHAR NOT NULL, 
	opened_at_ns BIGINT NOT NULL, 
	next_try_at_ns BIGINT, 
	tries INTEGER NOT NULL, 
	CONSTRAINT pk_read_receipts PRIMARY KEY (entry_id), 
	CONSTRAINT fk_read_receipts_entry_id FOREIGN KEY(entry_id) REFERENCES inbox (id)
);
CREATE INDEX ix_read_receipts_due ON read_receipts (next_try_at_ns) WHERE next_try_at_ns IS NOT NULL;
CREATE INDEX ix_received_list ON received (received_at_ns, id, peer_id);
CREATE INDEX ix_audit_entries_list ON audit_entries (at_ns, id, actor, action);
CREATE INDEX ix_audit_entries_actor_list ON audit_entries (actor, at_ns, id, action);
CREATE TABLE peer_contacts (
	peer_id VARCHAR NOT NULL, 
	reached_at_ns BIGINT, 
	heard_at_ns BIGINT, 
	certificate_until_ns BIGINT, 
	latency_us INTEGER, 
	protocol INTEGER, 
	CONSTRAINT pk_peer_contacts PRIMARY KEY (peer_id), 
	CONSTRAINT fk_peer_contacts_peer_id FOREIGN KEY(peer_id) REFERENCES peers (id)
);
CREATE INDEX ix_received_in_reply_to ON received (in_reply_to) WHERE in_reply_to IS NOT NULL;
CREATE TABLE passkeys (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	relying_party VARCHAR NOT NULL, 
	credential_id BLOB NOT NULL, 
	public_key BLOB NOT NULL, 
	sign_count INTEGER NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	last_used_at_ns BIGINT, since_reset BOOLEAN DEFAULT 1 NOT NULL, needs_password BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_passkeys PRIMARY KEY (id), 
	CONSTRAINT fk_passkeys_user_id_users FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_passkeys_credential_id UNIQUE (credential_id)
);
CREATE INDEX ix_passkeys_user_id ON passkeys (user_id);
CREATE TABLE authenticator_apps (
	user_id VARCHAR NOT NULL, 
	secret BLOB NOT NULL, 
	created_at_ns BIGINT NOT NULL, 
	confirmed_at_ns BIGINT, 
	last_step INTEGER, 
	last_used_at_ns BIGINT, since_reset BOOLEAN DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_authenticator_apps PRIMARY KEY (user_id), 
	CONSTRAINT fk_authenticator_apps_user_id_users FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE TABLE recovery_codes (
	hash VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	created_at_ns BIGINT NOT NULL, since_reset BOOLEAN DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (hash), 
	CONSTRAINT fk_recovery_codes_user_id_users FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE INDEX ix_recovery_codes_user_id ON recovery_codes (user_id);
CREATE TABLE unfinished_sign_ins (
	hash VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	needs VARCHAR NOT NULL, 
	expires_at_ns BIGINT NOT NULL, proved VARCHAR DEFAULT 'password' NOT NULL, 
	CONSTRAINT pk_unfinished_sign_ins PRIMARY KEY (hash), 
	CONSTRAINT fk_unfinished_sign_ins_user_id_users FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE INDEX ix_unfinished_sign_ins_user_id ON unfinished_sign_ins (user_id);
CREATE TABLE approvals (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	asked_by_id VARCHAR, 
	created_at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_approvals PRIMARY KEY (id), 
	CONSTRAINT ck_approvals_kind CHECK (kind IN ('clearance', 'reset', 'admin')), 
	CONSTRAINT fk_approvals_asked_by_id FOREIGN KEY(asked_by_id) REFERENCES users (id), 
	CONSTRAINT fk_approvals_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_approvals_user_id_kind UNIQUE (user_id, kind)
);
CREATE UNIQUE INDEX ix_users_sso ON users (sso_issuer, sso_subject);
CREATE TABLE audit_positions (
	receiver VARCHAR NOT NULL, 
	number BIGINT NOT NULL, 
	at_ns BIGINT NOT NULL, 
	CONSTRAINT pk_audit_positions PRIMARY KEY (receiver)
);
CREATE TABLE timing_accepted_minutes (
	start_s BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_timing_accepted_minutes PRIMARY KEY (start_s)
);
CREATE TABLE used_once (
	"key" VARCHAR NOT NULL, 
	until_ns BIGINT NOT NULL, 
	CONSTRAINT pk_used_once PRIMARY KEY ("key")
);
CREATE INDEX ix_used_once_until_ns ON used_once (until_ns);
CREATE TABLE clock_notes (
	id INTEGER NOT NULL, 
	believed_at_ns BIGINT NOT NULL, 
	unconfirmed_ns BIGINT, 
	CONSTRAINT pk_clock_notes PRIMARY KEY (id)
);
CREATE INDEX ix_timing_records_sampled ON timing_records (sample, at_ns, direction, outcome, mode, peer_id, size, classified_size, secure_channels, plain_channels, suite, batch, transfer_id, attempt, waiting_us, sieve_us, split_us, establishment_us, data_transfer_us, combine_us, integrate_us, storing_us, response_us, total_us, stored_us) WHERE sample >= 4;
CREATE INDEX ix_timing_groups_peer ON timing_groups (grain, peer_id, size_class, share_class, channels, suite, batch_class, direction, outcome, mode);
CREATE TABLE schema_notes (
	id INTEGER NOT NULL, 
	oldest VARCHAR NOT NULL, 
	CONSTRAINT pk_schema_notes PRIMARY KEY (id)
);
CREATE INDEX ix_timing_rollups_group ON timing_rollups (width_s, grain, group_id, start_s, count, timed, total_us) WHERE width_s >= 3600;
CREATE INDEX ix_timing_rollups_phases ON timing_rollups (width_s, grain, group_id, start_s, timed, waiting_us, sieve_us, split_us, establishment_us, data_transfer_us, combine_us, integrate_us, storing_us) WHERE width_s >= 86400;
INSERT INTO "alembic_version" VALUES ('0059');
INSERT INTO "timing_state" VALUES (1, 0, 0, '', 0, NULL);
