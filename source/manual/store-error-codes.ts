/** Of `errorCodes`, those of the store and of the gateways on it. */
export const storeErrorCodes = {
	journal_unavailable:
		'Events are answered 503 and nothing is half accepted: the disk is full, the file is locked, or the database of `gateway.store` cannot be used; the message says which. Once that is mended it goes on by itself',
	member_busy:
		'Another gateway on the same store cannot be asked now: too many calls are under way, or what is to be passed on is larger than 512 KiB',
	member_duplicate:
		'A home with the same `member.id`, a copy of this one, is a member of the cluster; the message names both. Remove `member.id` from the copy: the next start makes another',
	member_silent:
		'The gateway that has the thing, another one on the same store, does not answer within five seconds; the message names it',
	store_copy_incomplete:
		'A copy into the database has not come to its end, or not everything was there after it; the message says which. Run `svc gateway migrate-store` again, or empty the target and begin again',
	store_in_use:
		'Another process has the journal open; the message names it where the system tells. End that gateway, or close what has it open',
	store_key_wrong:
		'The secrets in the database are encrypted with another `gateway.store_key` than the one that is set here: set the key that the other gateways have. Nothing was written over',
	store_not_empty:
		'There is something in the store that is to be filled: empty it, or take another one. Nothing was written',
	store_too_new:
		'A newer version wrote the database, the message says which: upgrade to that, or restore a backup that this version made',
	store_url_invalid:
		'The URL of the database cannot be used: write postgres://USER:PASSWORD@HOST/DATABASE, the password as a reference such as `${PGPASSWORD}`',
	store_unreadable: '`state.db` is damaged or not yours: move it away, the gateway makes a new one',
} as const;
