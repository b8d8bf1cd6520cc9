import {z} from 'zod';
import {
	facts,
	integer,
	jsonObject,
	maybeInteger,
	maybeText,
	number,
	text,
	yesOrNo,
} from './parts.ts';

export const chatSessionSchema = facts({
	/** `ses_` and 30 characters; the gateway gives it out. */
	id: text,
	/** The key that it belongs to; `name` as at the start of the session, cleaned. */
	key: facts({id: text, name: text, isTest: yesOrNo}).exactOptional(),
	/** Its conversation on a messaging platform: `telegram:12345`, with a thread `telegram:12345/17`. Without `origin` and `key` it belongs to the person at the terminal. */
	origin: maybeText,
	/** The public model that answered last. */
	model: text,
	/** Beginning of the first message of its user, cleaned; empty before that. */
	title: text,
	/** Milliseconds since 1970, as all times here. */
	createdAt: number,
	usedAt: number,
	messages: integer,
	/** Size of its messages as JSON. */
	bytes: integer,
}).register(z.globalRegistry, {id: 'ChatSession'});

export const sessionMessageSchema = facts({
	at: number,
	/** In the form of the chat API: `role`, `content` and further members. */
	message: jsonObject,
	/** The run whose answer it is. */
	run: maybeInteger,
}).register(z.globalRegistry, {id: 'SessionMessage'});

export const storedSessionSchema = chatSessionSchema
	.extend({
		/** Oldest first. */
		conversation: z.array(sessionMessageSchema),
	})
	.register(z.globalRegistry, {id: 'StoredSession'});

export const sessionMatchSchema = facts({
	session: chatSessionSchema,
	at: number,
	role: text,
	/** The text around the found words, cleaned, at most 400 characters. */
	excerpt: text,
}).register(z.globalRegistry, {id: 'SessionMatch'});
