import {z} from 'zod';
import {allowedWriterSchema, chatWriterSchema, shownChatSchema} from '../../core/schemas/chat.ts';
import {text} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';

/** People on messaging platforms. A process that may open the socket may edit `config.yaml` as well: both belong to this user alone. @see manual/conversations.md */
export const chats = {
	listChats: get(
		'/v1/chats',
		'People who wrote on messaging platforms, per chat and thread, and whether they may talk with the agent; newest first, at most 10,000.',
		{result: z.array(chatWriterSchema)},
	),
	/** A chat by name: `telegram:12345`, or `telegram:12345/17` for one of its threads. `undefined` when no message came from there. */
	getChat: get(
		'/v1/chats/{chat}',
		'The people of one chat (telegram:12345) or of one of its threads (telegram:12345/17), with its sessions and the turns that have not ended.',
		{result: shownChatSchema.optional()},
	),
	/** @throws SvcError as `allowWriter` of `config/` does */
	allowWriter: post(
		'/v1/chats/allow',
		'Adds a person to "allow_from" of a platform in config.yaml, at once. Body: {"platform": "telegram", "user": "12345"}.',
		{body: z.strictObject({platform: text, user: text.max(1000)}), result: allowedWriterSchema},
	),
} as const satisfies Operations;
