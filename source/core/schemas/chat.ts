import {z} from 'zod';
import {facts, integer, number, text, yesOrNo} from './parts.ts';

const perhapsText = text.nullable();

export const chatWriterSchema = facts({
	platform: text,
	chat: text,
	/** Null: none. */
	thread: perhapsText,
	/** The identifier that `allow_from` takes. */
	user: text,
	/** Their latest display name; null: none. */
	name: perhapsText,
	/** Whether they are in `allow_from`, and whether they may answer requests for approval. */
	allowed: yesOrNo,
	approver: yesOrNo,
	/** Milliseconds since 1970. */
	lastAt: number,
	messages: integer,
}).register(z.globalRegistry, {id: 'ChatWriter'});

export const shownChatSchema = facts({
	platform: text,
	chat: text,
	/** The people who wrote there, latest writer first. */
	people: z.array(chatWriterSchema),
	/** Its threads, and the chat outside of them; the newest 20. */
	conversations: z.array(
		facts({
			/** Null: outside of threads. */
			thread: perhapsText,
			/** The session that the next turn continues; null: there was no turn yet. */
			session: perhapsText,
			/** Turns that have not ended, oldest first. */
			open: z.array(facts({run: integer, queued: yesOrNo})),
		}),
	),
}).register(z.globalRegistry, {id: 'ShownChat'});

export const allowedWriterSchema = facts({
	/** `false`: they were in `allow_from` already. */
	added: yesOrNo,
	/** Whether svc listens on the platform, by its present configuration. */
	heard: yesOrNo,
});
