import {countOf} from '../../core/names.ts';
import {conversationName} from '../../core/origin.ts';
import type {
	allowedWriterSchema,
	chatWriterSchema,
	shownChatSchema,
} from '../../core/schemas/chat.ts';
import type {Shape} from '../../core/schemas/parts.ts';
import {quotedWord} from '../../core/shell-words.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Act} from '../act.ts';
import {column, type Fact, type Noun} from '../noun.ts';

/** A person who wrote in a chat of a messaging platform. */
export type ChatWriter = Shape<typeof chatWriterSchema>;
type ShownChat = Shape<typeof shownChatSchema>;

/** Quoted for a shell if needed: on some platforms strangers choose addresses and thread names. */
const asCopied = (name: string): string =>
	/^[\w.@+:/-]{1,400}$/.test(name) ? name : quotedWord(name);

/** `telegram:-1001234/17` for `svc chats show`, quoted for a shell if needed. */
const placeOf = ({platform, chat, thread}: Pick<ChatWriter, 'chat' | 'platform' | 'thread'>) =>
	asCopied(conversationName({platform, chat, ...(thread !== null && {thread})}));

/** `telegram:12345` for `svc chats allow`, quoted likewise. */
export const personOf = ({platform, user}: Pick<ChatWriter, 'platform' | 'user'>): string =>
	asCopied(`${platform}:${user}`);

const mayWords = ({allowed, approver}: ChatWriter): string =>
	[...(allowed ? ['talk'] : []), ...(approver ? ['approve'] : [])].join(', ') || '-';

/** A person who wrote on a messaging platform. @see manual/conversations.md */
export const writerNoun: Pick<Noun<ChatWriter>, 'columns' | 'many' | 'printed'> &
	Pick<Noun<ChatWriter>, 'argument' | 'argumentSays' | 'missing' | 'one'> = {
	one: 'person',
	many: 'people',
	argument: 'user',
	argumentSays: 'platform and identifier of the person: telegram:12345',
	missing: 'chat_not_found',
	columns: [
		column('chat', 0, placeOf),
		column('user', 0, personOf),
		column('name', 0, ({name}) => name ?? '-'),
		column('may', 0, mayWords),
		column('messages', 0, ({messages}) => String(messages)),
		column('last', 0, ({lastAt}) => printableTime(lastAt)),
	],
	printed: {
		columns: ['chat', 'user', 'name', 'may', 'messages', 'last'],
		whole: ['user', 'chat'],
		optional: ['messages', 'last', 'name'],
		empty:
			'Nobody has written yet: people are heard on platforms with "inbound: true", see "svc help conversations"',
	},
};

/** A chat on a messaging platform. */
export const chatNoun: Pick<
	Noun<ShownChat>,
	'argument' | 'argumentSays' | 'factCells' | 'facts' | 'head' | 'missing' | 'one'
> = {
	one: 'chat',
	argument: 'chat',
	argumentSays: 'the chat, or a thread of it: telegram:12345, telegram:-1001234/17',
	missing: 'chat_not_found',
	factCells: 8,
	head: ({platform, chat}) => [{text: placeOf({platform, chat, thread: null})}],
	facts: ({platform, chat, people, conversations}) =>
		conversations.flatMap(({thread, session, open}): readonly Fact[] => [
			...(conversations.length === 1 && thread === null
				? []
				: [{title: thread === null ? 'outside of threads' : placeOf({platform, chat, thread})}]),
			...people.filter(person => person.thread === thread).map(personFact),
			...(session === null
				? []
				: [{name: 'session', value: session, see: `svc sessions show ${session}`}]),
			...open.map(({run, queued}) => ({
				name: 'turn',
				value: `run #${run} ${queued ? 'waits' : 'is under way'}`,
				see: `svc runs show ${run}`,
			})),
		]),
};

const personFact = (person: ChatWriter): Fact => ({
	name: 'person',
	value: [
		personOf(person),
		...(person.name === null ? [] : [person.name]),
		mayWords(person) === '-' ? 'may not talk' : `may ${mayWords(person)}`,
		countOf(person.messages, 'message'),
		`last ${printableTime(person.lastAt)}`,
	].join(', '),
});

/** The outcome of allowing a person. */
export function allowedText(
	person: Pick<ChatWriter, 'platform' | 'user'>,
	{added, heard}: Shape<typeof allowedWriterSchema>,
): string {
	const note = heard
		? ''
		: `; people are heard there once platforms.${person.platform} has "enabled: true" and "inbound: true"`;
	return `${personOf(person)} may talk with the agent ${added ? 'from now on' : 'already'}, and answer its requests for approval unless platforms.${person.platform}.approvers names others${note}`;
}

/** The gateway operations on people. */
export type ChatPort = {
	allowWriter(person: {
		readonly platform: string;
		readonly user: string;
	}): Promise<Shape<typeof allowedWriterSchema>>;
};

/** The acts on a person who wrote. */
export const writerActs: ReadonlyArray<Act<ChatWriter, ChatPort>> = [
	{
		verb: 'allow',
		says: 'let a person on a messaging platform talk with the agent: adds the identifier to allow_from in config.yaml, at once',
		async effect(port, id) {
			const [, platform = '', user = ''] = /^([^:]*):?(.*)$/s.exec(id) ?? [];
			const outcome = await port.allowWriter({platform, user});
			const {added, heard} = outcome;
			return {
				said: allowedText({platform, user}, outcome),
				json: {platform, user, added, heard},
			};
		},
		gone: 'there is no such person',
	},
];
