import {randomBytes} from 'node:crypto';
import {isJsonObject, type JsonObject} from './json.ts';
import {conversationName, conversationNamed, conversationWords, type TurnOrigin} from './origin.ts';
import type {Shape} from './schemas/parts.ts';
import type {
	chatSessionSchema,
	sessionMatchSchema,
	sessionMessageSchema,
	storedSessionSchema,
} from './schemas/session.ts';

/** A conversation that the gateway keeps. @see manual/chat-api.md#sessions */
export type ChatSession = Shape<typeof chatSessionSchema>;
export type SessionMessage = Shape<typeof sessionMessageSchema>;
export type StoredSession = Shape<typeof storedSessionSchema>;
export type SessionMatch = Shape<typeof sessionMatchSchema>;

/** The owner of a session: the origin of its turns, without the writer. */
export type SessionOwner =
	| Extract<TurnOrigin, {readonly kind: 'person'}>
	| (Extract<TurnOrigin, {readonly kind: 'key'}> & NonNullable<ChatSession['key']>)
	| Omit<Extract<TurnOrigin, {readonly kind: 'chat'}>, 'user'>;

/** The owner as a session stores it. */
type OwnerFacts = Pick<ChatSession, 'key' | 'origin'>;

export function sessionOwnerOf({key, origin}: OwnerFacts): SessionOwner {
	if (origin !== undefined) {
		return {kind: 'chat', ...conversationNamed(origin)};
	}

	return key ? {kind: 'key', ...key} : {kind: 'person'};
}

/** The inverse of `sessionOwnerOf`. */
export function sessionOwnerFacts(owner: SessionOwner): OwnerFacts {
	switch (owner.kind) {
		case 'person':
			return {};

		case 'key': {
			const {id, name, isTest} = owner;
			return {key: {id, name, isTest}};
		}

		case 'chat':
			return {origin: conversationName(owner)};
	}
}

/** A unique identifier of an owner: empty for the person, the identifier of a key, `telegram:12345`. */
export function sessionOwnerId(owner: SessionOwner): string {
	switch (owner.kind) {
		case 'person':
			return '';

		case 'key':
			return owner.id;

		case 'chat':
			return conversationName(owner);
	}
}

/** The owner in words for people: `laptop (test)` for a key, `terminal`, `telegram:12345`. Not cleaned. */
export function sessionOwnerWords(owner: SessionOwner): string {
	switch (owner.kind) {
		case 'person':
			return 'terminal';

		case 'key':
			return `${owner.name === '' ? owner.id : owner.name}${owner.isTest ? ' (test)' : ''}`;

		case 'chat':
			return conversationWords(owner);
	}
}

/** A new identifier, of 120 random bits: it cannot be guessed. */
export const mintSessionId = (): string => `ses_${randomBytes(15).toString('hex').slice(0, 30)}`;

/** Whether `id` has the form of a session identifier. */
export const isSessionId = (id: string): boolean => /^ses_[0-9a-f]{30}$/.test(id);

/** The text of a message, refusals included; other parts by their type: `[image_url]`. Not cleaned. */
export function messageText({content, refusal}: SessionMessage['message']): string {
	if (typeof content === 'string' && content !== '') {
		return content;
	}

	const parts = (Array.isArray(content) ? content : []).filter(isJsonObject).map(part => {
		const text = part['text'] ?? part['refusal'];
		const type = part['type'];
		return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'part'}]`;
	});
	return parts.length > 0 ? parts.join('') : typeof refusal === 'string' ? refusal : '';
}

/** Only the text of a message, refusals included. Not cleaned. */
export function spokenText({content, refusal}: JsonObject): string {
	if (typeof content === 'string') {
		return content;
	}

	const parts = (Array.isArray(content) ? content : [])
		.filter(isJsonObject)
		.map(part => part['text'] ?? part['refusal']);
	return (parts.length > 0 ? parts : [refusal]).filter(text => typeof text === 'string').join('');
}
