import {z} from 'zod';
import {facts, integer, maybeText, text, yesOrNo} from '../../core/schemas/parts.ts';
import {
	chatSessionSchema,
	sessionMatchSchema,
	storedSessionSchema,
} from '../../core/schemas/session.ts';
import {get, post, type Operations} from './operation.ts';
import {limitParameter, textParameter} from './parameters.ts';

/** Maximum length of a person's message, characters. */
const maxTextLength = 256 * 1024;

/** Stored chat sessions of keys and of the person at the terminal. Any process that can open the socket may read all of them. @see manual/chat-api.md#sessions */
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
	/** `false` when there is no such session. @throws SvcError `session_busy` */
	deleteSession: post(
		'/v1/sessions/{id}/delete',
		'Deletes a chat session; answers whether there was one.',
		{result: yesOrNo},
	),
	/**
	 * Starts a turn of the person at the terminal with the agent. Resolves when its run has started; the run reports progress, is cancelled to stop the turn, and is done once
	 * the answer is in the session.
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
	/** Any text is a valid query. */
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
