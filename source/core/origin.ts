import type {RuleOwner} from './approval.ts';
import type {Run} from './run.ts';

/** A conversation on a messaging platform, without its writer. */
export type Conversation = Omit<NonNullable<Run['conversation']>, 'user'>;

/**
 * The origin of a run.
 *
 * - `delivery`: an event of a sender. Without an identifier the origin is unknown and counts as untrusted. `job`: the job that the route of the event fires.
 * - `job`: a job fired by its schedule or a person.
 * - `key`, `person`, `chat`: a turn of a chat with an API key, with the person at the terminal, or on a messaging platform.
 */
export type Origin =
	| {
			readonly kind: 'delivery';
			/** `-` for an unknown origin. */
			readonly route: string;
			readonly delivery?: string;
			readonly job?: NonNullable<Run['job']>;
	  }
	| {readonly kind: 'job'; readonly job: NonNullable<Run['job']>}
	| {readonly kind: 'key'; readonly name: string}
	| {readonly kind: 'person'}
	| ({readonly kind: 'chat'; readonly user: string} & Conversation);

/** Every kind of {@link Origin}. */
export const originKinds = [
	'delivery',
	'job',
	'key',
	'person',
	'chat',
] as const satisfies ReadonlyArray<Origin['kind']>;

/** The origin of a turn of a chat. */
export type TurnOrigin = Extract<Origin, {readonly kind: 'key' | 'person' | 'chat'}>;

/** The origin of a turn that is answered over an open connection; such a run is never repeated. */
export type CallerOrigin = Exclude<TurnOrigin, {readonly kind: 'chat'}>;

/** The origin as runs and approvals store and send it. */
type OriginFacts = Pick<Run, 'delivery' | 'job' | 'chat' | 'conversation'> & {
	readonly route?: string;
};

/** The key name stored for turns of the person at the terminal; no API key can have this name. */
export const personKey = 'terminal';

/** Reads the stored origin of a run, or of the run of an approval. */
export function originOf({route = '-', delivery, job, chat, conversation}: OriginFacts): Origin {
	if (delivery !== undefined) {
		return {kind: 'delivery', route, delivery, ...(job && {job})};
	}

	if (job) {
		return {kind: 'job', job};
	}

	if (conversation) {
		return {kind: 'chat', ...conversation};
	}

	if (chat) {
		return chat.key === personKey ? {kind: 'person'} : {kind: 'key', name: chat.key};
	}

	return {kind: 'delivery', route};
}

/** The stored form of an origin: the inverse of `originOf`. */
export function originFacts(origin: Origin): OriginFacts {
	switch (origin.kind) {
		case 'delivery': {
			const {route, delivery, job} = origin;
			return {...(delivery !== undefined && {route, delivery}), ...(job && {job})};
		}

		case 'job':
			return {job: origin.job};

		case 'key':
			return {chat: {key: origin.name}};

		case 'person':
			return {chat: {key: personKey}};

		case 'chat': {
			const {kind: _, ...conversation} = origin;
			return {conversation};
		}
	}
}

const turns: Readonly<Record<Origin['kind'], boolean>> = {
	delivery: false,
	job: false,
	key: true,
	person: true,
	chat: true,
};

/** Whether a run is a turn of a chat, which is answered in that chat. */
export const isTurn = (origin: Origin): origin is TurnOrigin => turns[origin.kind];

/** `telegram:12345`, `telegram:12345/17` with its thread; no two conversations have the same. Not cleaned. */
export function conversationName({platform, chat, thread}: Conversation): string {
	const place = `${platform}:${chat.replaceAll(/[%/]/g, encodeURIComponent)}`;
	return thread === undefined ? place : `${place}/${thread}`;
}

const plainConversation = /^[a-z]+:[\w.@+:!#-]{1,64}(?:\/[\w.@$-]{1,64})?$/;

/** The name of a conversation, quoted for use in a sentence: a JSON string unless it is plain. Not cleaned. */
export function conversationWords(conversation: Conversation): string {
	const name = conversationName(conversation);
	return plainConversation.test(name) ? name : JSON.stringify(name);
}

/** The conversation with this name: the inverse of `conversationName`. */
export function conversationNamed(name: string): Conversation {
	const [, platform = '', chat = '', thread] = /^([^:]*):([^/]*)(?:\/(.*))?$/s.exec(name) ?? [];
	return {
		platform,
		chat: chat.replaceAll(/%2F|%25/g, decodeURIComponent),
		...(thread !== undefined && {thread}),
	};
}

/** The owner of a run for people: its route `gh-review`, `job digest`, `key chat-app`, `your chat` for the person at the terminal, `telegram:12345`. Not cleaned. */
export function originWords(
	origin: Origin,
	quoted: (name: string) => string = name => name,
): string {
	switch (origin.kind) {
		case 'delivery':
			return origin.route;

		case 'job':
			return `job ${quoted(origin.job.name)}`;

		case 'key':
			return `key ${quoted(origin.name)}`;

		case 'person':
			return 'your chat';

		case 'chat':
			return conversationWords(origin);
	}
}

/** `originWords` for the run of an approval; empty without a run, and for an unknown origin. */
export function askerWords(
	{run, ...facts}: OriginFacts & {readonly run?: number},
	quoted?: (name: string) => string,
): string {
	const origin = originOf(facts);
	const isUnknown = origin.kind === 'delivery' && origin.delivery === undefined;
	return run === undefined || isUnknown ? '' : originWords(origin, quoted);
}

/** `telegram:12345/17 99`, the conversation and its writer, for filters; empty for other origins. Not cleaned. */
export const chatText = ({conversation}: Pick<OriginFacts, 'conversation'>): string =>
	conversation ? `${conversationName(conversation)} ${conversation.user}` : '';

/** Which part of the prompt is untrusted, for people; absent: none. */
export const untrustedWords: Readonly<Record<Origin['kind'], string | undefined>> = {
	delivery: 'text of the event is untrusted',
	job: undefined,
	key: 'text of the event is untrusted',
	person: undefined,
	chat: 'text of the conversation is untrusted',
};

/** The owner of a run, to which approval rules are bound: for a turn the chat with all its threads, for an event its route, even if the route fires a job. */
export function ruleOwnerOf(origin: Origin): RuleOwner | undefined {
	switch (origin.kind) {
		case 'delivery':
			return origin.delivery === undefined ? undefined : {kind: 'route', name: origin.route};

		case 'job':
			return {kind: 'job', ...origin.job};

		case 'chat':
			return {
				kind: 'chat',
				name: conversationName({platform: origin.platform, chat: origin.chat}),
			};

		case 'key':
		case 'person':
			return undefined;
	}
}

/** Whether a rule of `owner` covers runs of `origin`. */
export function isRuledBy(owner: RuleOwner, origin: Origin): boolean {
	const asking = ruleOwnerOf(origin);
	if (asking?.kind !== owner.kind) {
		return false;
	}

	return owner.id === undefined
		? owner.name === asking.name || owner.name === asking.id
		: owner.id === asking.id;
}
