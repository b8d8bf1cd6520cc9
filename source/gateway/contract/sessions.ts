import {z} from 'zod';
import {facts, integer, maybeText, text, yesOrNo} from '../../core/schemas/parts.ts';
import {
	chatSessionSchema,
	sessionMatchSchema,
	storedSessionSchema,
} from '../../core/schemas/session.ts';
import {get, post, type Operations} from './operation.ts';
import {limitParameter, textParameter} from './parameters.ts';

/** Characters of what a person says. */
const maxTextLength = 256 * 1024;

/** Conversations that are kept, of keys and of the person at the terminal. A process that may open the socket may read all of them. @see manual/chat-api.md#sessions */
export const sessions = {
	listSessions: get('/v1/sessions', 'The chat sessions with messages, last used first.', {
		query: {
			before: textParameter('Only those after this one in the list, an identifier.'),
			limit: limitParameter(),
		},
		result: z.array(chatSessionSchema),
	}),
	getSession: get('/v1/sessions/{id}', 'One chat session with its messages.', {
		result: storedSessionSchema.optional(),
	}),
	/** `false` when there is none. @throws SvcError `session_busy` */
	deleteSession: post(
		'/v1/sessions/{id}/delete',
		'Deletes a chat session; answers whether there was one.',
		{result: yesOrNo},
	),
	/**
	 * A turn of the person at the terminal with the agent. Resolves when its run is under way; the run tells how it goes on, is cancelled to stop it, and is done once the answer is in the session.
	 * @throws SvcError as `PersonChat.say` does
	 */
	sendChat: post(
		'/v1/chat',
		'Sends a text to the agent, in a session of the person at the terminal: a new one without "session". Body: {"text": "…", "session": "ses_…"}.',
		{
			body: z.strictObject({text: text.min(1).max(maxTextLength), session: maybeText}),
			result: facts({session: text, run: integer}),
		},
	),
	/** Any text is a question. */
	searchSessions: get(
		'/v1/history/sessions',
		'Messages of chat sessions that contain every word of a text, or a longer word that begins with it; newest first.',
		{
			query: {
				text: textParameter('The words.'),
				limit: limitParameter(),
			},
			result: z.array(sessionMatchSchema),
		},
	),
} as const satisfies Operations;
