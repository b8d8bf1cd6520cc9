import type {RuleOwner} from './approval.ts';
import type {Run} from './run.ts';

/** A conversation on a messaging platform, whoever writes in it. */
export type Conversation = Omit<NonNullable<Run['conversation']>, 'user'>;

/**
 * Where a run comes from.
 *
 * - `delivery`: an event of a sender. Without its identifier: nothing is known of the run, which counts as a stranger's. `job`: its route fires one.
 * - `job`: a schedule or a person fired it.
 * - `key`, `person`, `chat`: a turn of a chat, of a key of the API, of the person at the terminal, of a conversation on a messaging platform.
 */
export type Origin =
	| {
			readonly kind: 'delivery';
			/** `-` where nothing is known of the run. */
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

/** Where a turn of a chat comes from. */
export type TurnOrigin = Extract<Origin, {readonly kind: 'key' | 'person' | 'chat'}>;

/** Of one that is answered over an open connection: never run again. */
export type CallerOrigin = Exclude<TurnOrigin, {readonly kind: 'chat'}>;

/** What runs and approvals say of it, in the journal and on the wire. */
type OriginFacts = Pick<Run, 'delivery' | 'job' | 'chat' | 'conversation'> & {
	readonly route?: string;
};

/** What stands in the place of a key where the person at the terminal asks; no key is called so. */
export const personKey = 'terminal';

/** Where a run, or the run that an approval is of, comes from. */
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

/** What is kept and told of where a run comes from: `originOf` the other way round. */
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

/** Whether it is a turn of a chat: it is answered where it was asked. */
export const isTurn = (origin: Origin): origin is TurnOrigin => turns[origin.kind];

/** `telegram:12345`, `telegram:12345/17` with its thread; no two conversations have the same. Not cleaned. */
export function conversationName({platform, chat, thread}: Conversation): string {
	const place = `${platform}:${chat.replaceAll(/[%/]/g, encodeURIComponent)}`;
	return thread === undefined ? place : `${place}/${thread}`;
}

const plainConversation = /^[a-z]+:[\w.@+:!#-]{1,64}(?:\/[\w.@$-]{1,64})?$/;

/** The name as it stands in a text of ours: in quotation marks, as JSON has them, where it is not plain. Not cleaned. */
export function conversationWords(conversation: Conversation): string {
	const name = conversationName(conversation);
	return plainConversation.test(name) ? name : JSON.stringify(name);
}

/** The conversation of a name. */
export function conversationNamed(name: string): Conversation {
	const [, platform = '', chat = '', thread] = /^([^:]*):([^/]*)(?:\/(.*))?$/s.exec(name) ?? [];
	return {
		platform,
		chat: chat.replaceAll(/%2F|%25/g, decodeURIComponent),
		...(thread !== undefined && {thread}),
	};
}

/** What a run belongs to: `gh-review`, its route; `job digest`; `key chat-app`; `your chat` of the person at the terminal; `telegram:12345`. Not cleaned of its own. */
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

/** The same for the run that an approval is of; empty without a run, and where nothing is known of it. */
export function askerWords(
	{run, ...facts}: OriginFacts & {readonly run?: number},
	quoted?: (name: string) => string,
): string {
	const origin = originOf(facts);
	const isUnknown = origin.kind === 'delivery' && origin.delivery === undefined;
	return run === undefined || isUnknown ? '' : originWords(origin, quoted);
}

/** `telegram:12345/17 99`, the conversation and who wrote, as filters read it; empty for what comes from elsewhere. Not cleaned. */
export const chatText = ({conversation}: Pick<OriginFacts, 'conversation'>): string =>
	conversation ? `${conversationName(conversation)} ${conversation.user}` : '';

/** What of the prompt strangers wrote, a sentence; absent where none of them did. */
export const untrustedWords: Readonly<Record<Origin['kind'], string | undefined>> = {
	delivery: 'text of the event is untrusted',
	job: undefined,
	key: 'text of the event is untrusted',
	person: undefined,
	chat: 'text of the conversation is untrusted',
};

/** Whose run it is, as rules of approvals are bound to it; a rule for a chat is for all of its threads. What an event started is its route's, whatever job that fires. */
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

/** Whether a rule of `owner` is for runs that come from `origin`. */
export function isRuledBy(owner: RuleOwner, origin: Origin): boolean {
	const asking = ruleOwnerOf(origin);
	if (asking?.kind !== owner.kind) {
		return false;
	}

	return owner.id === undefined
		? owner.name === asking.name || owner.name === asking.id
		: owner.id === asking.id;
}
