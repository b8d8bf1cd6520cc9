/** Of `errorCodes`, those of the chat API and its keys that are told of outside of it. */
export const chatErrorCodes = {
	budget_exceeded:
		'The budget of the key is used up: `svc keys list` shows its usage; it begins anew with its day, week or month',
	chat_refused: 'The agent did not start the turn; the message says why',
	chat_not_found: 'Nobody has written in a chat of that name: see `svc chats list`',
	key_invalid:
		'A key of the chat API cannot be made with these settings; the message names the wrong one',
	key_not_found: 'No key has that identifier, or it has ended: see `svc keys list`',
	keys_unreadable:
		'The keys in `state.db` cannot be read: the chat API is not served, everything else runs; `svc doctor` says what to do',
	keys_full: '1,000 keys of the chat API are in force: revoke an unused one',
	session_full: 'The session has reached its limit of messages or bytes: begin another',
	session_not_found: 'No chat session has that identifier: see `svc sessions list`',
	session_busy: 'A turn of that session is under way: wait for it, or stop it',
} as const;
