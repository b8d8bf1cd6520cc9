/** Keys of the chat API and what they use, a step of `migrations.ts`. `ended` is when a key was revoked or expires, 0: never; `data` is the rest of it as JSON. */
export const keySchema = `create table api_key (
		seq integer primary key autoincrement,
		id text not null unique,
		ended integer not null,
		used integer not null default 0,
		requests integer not null default 0,
		input integer not null default 0,
		output integer not null default 0,
		data text not null
	) strict;
	create index api_key_ended on api_key (ended);
	create table api_key_use (
		key text not null,
		day text not null,
		requests integer not null,
		input integer not null,
		output integer not null,
		primary key (key, day)
	) strict, without rowid;
	create index api_key_use_day on api_key_use (day);`;
