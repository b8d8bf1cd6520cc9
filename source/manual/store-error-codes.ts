/** Of `errorCodes`, those of the store and of the gateways on it. */
export const storeErrorCodes = {
	journal_unavailable:
		'Events are answered 503 and nothing is half accepted: the disk is full or the database locked. Free space; it goes on by itself',
	member_busy:
		'Another gateway on the same store cannot be asked now: too many calls are under way, or what is to be passed on is larger than 512 KiB',
	member_silent:
		'The gateway that has the thing, another one on the same store, does not answer within five seconds; the message names it',
	store_in_use:
		'Another process has the journal open; the message names it where the system tells. End that gateway, or close what has it open',
	store_too_new:
		'A newer version wrote the database, the message says which: upgrade to that, or restore a backup that this version made',
	store_unreadable: '`state.db` is damaged or not yours: move it away, the gateway makes a new one',
} as const;
