/** Of `errorCodes`, those of the chat API and its keys that are told of outside of it. */
export const chatErrorCodes = {
	budget_exceeded:
		'Nothing was left of the budget of the key that asked for the turn: `svc keys list` says how much is used; it begins anew with its day, week or month',
	chat_refused: 'The agent did not begin with what was said to it: the message says why',
	chat_not_found:
		'Nobody has written in that chat, or it is called otherwise: see `svc chats list`',
	key_invalid: 'A key of the chat API cannot be made so; the message says which part of it',
	key_not_found: 'No key has that identifier, or it has ended: see `svc keys list`',
	keys_unreadable:
		'The keys in `state.db` cannot be read: the chat API is not served and nothing else is missing; `svc doctor` says what to do',
	keys_full: '1,000 keys of the chat API are in force: revoke one that nobody uses',
	session_full: 'The session has as many messages, or bytes, as one may have: begin another',
	session_not_found: 'No chat session has that identifier: see `svc sessions list`',
	session_busy: 'A turn of that session is under way: wait for it, or stop it',
} as const;
