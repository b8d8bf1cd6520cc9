/** Of `errorCodes`, those of the store and of the gateways on it. */
export const storeErrorCodes = {
	journal_unavailable:
		'The disk is full, the file is locked, or the database of `gateway.store` cannot be used; the message says which. Events are answered 503, and none is half accepted. Once the cause is mended, the gateway goes on by itself',
	member_busy:
		'Another member of the cluster cannot be asked now: too many calls are under way, or the data to pass on is larger than 512 KiB',
	member_duplicate:
		'A home with the same `member.id`, a copy of this one, is a member of the cluster; the message names both. Remove `member.id` from the copy: the next start makes another',
	member_silent:
		'The member of the cluster that has the item does not answer within five seconds; the message names it',
	store_copy_incomplete:
		'A copy into the database did not finish, or data was missing after it; the message says which. Run `svc gateway migrate-store` again, or empty the target first',
	store_in_use:
		'Another process has the journal open; the message names it where the system tells. End that gateway, or close what has it open',
	store_key_wrong:
		'The secrets in the database are encrypted with another `gateway.store_key`: set the key of the other members. Nothing was overwritten',
	store_not_empty:
		'The target store is not empty: empty it, or use another one. Nothing was written',
	store_too_new:
		'A newer version wrote the database; the message says which. Upgrade to it, or restore a backup of this version',
	store_url_invalid:
		'The URL of the database cannot be used: write postgres://USER:PASSWORD@HOST/DATABASE, the password as a reference such as `${PGPASSWORD}`',
	store_unreadable:
		'`state.db` is damaged or not yours: move it away, and the gateway makes a new one',
} as const;
