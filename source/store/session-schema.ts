/**
 * Sessions of chats, a step of `migrations.ts`.
 *
 * - `session.owner` is the key that it belongs to, empty for the person at the terminal, or the name of a conversation on a platform, `telegram:12345`. `data` is the rest of it as JSON.
 * - `session_message.data` is the message as JSON, `text` what of it is text, which `session_text` indexes; the triggers keep the two together. `run` is the one that it answers of.
 */
export const sessionSchema = `create table session (
		seq integer primary key autoincrement,
		id text not null unique,
		owner text not null,
		used_at integer not null,
		messages integer not null default 0,
		bytes integer not null default 0,
		data text not null
	) strict;
	create index session_used on session (used_at, seq, bytes);
	create index session_empty on session (used_at) where messages = 0;
	create index session_of_owner on session (owner, used_at, seq, bytes);
	create table session_message (
		id integer primary key autoincrement,
		session integer not null,
		at integer not null,
		run integer,
		text text not null,
		data text not null
	) strict;
	create index session_message_of on session_message (session, id);
	create virtual table session_text using fts5(text, content = 'session_message', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
	create trigger session_message_added after insert on session_message begin
		insert into session_text (rowid, text) values (new.id, new.text);
	end;
	create trigger session_message_gone after delete on session_message begin
		insert into session_text (session_text, rowid, text) values ('delete', old.id, old.text);
	end;`;
