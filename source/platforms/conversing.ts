import {z} from 'zod';
import {flag, checked, nonEmptyText, nonEmptyTexts, setting} from '../core/schema-parts.ts';
import type {Declarations, ValueOf} from '../core/settings.ts';
import type {ListenerModule} from './listener.ts';

/** Identifiers of people; YAML takes some for numbers, which have to be exact. */
const people = z
	.array(
		checked(z.union([nonEmptyText, z.number()]), value =>
			typeof value === 'number' && !Number.isSafeInteger(value)
				? 'is a number that is too large to be exact: write it in quotes'
				: undefined,
		),
	)
	.max(1000);

const asTexts = (written: ReadonlyArray<string | number>): readonly string[] => written.map(String);

/** What may stand below a platform on which people talk with the agent. */
export const conversing = {
	inbound: flag(false, 'Whether people may [talk with the agent](conversations.md) here'),
	allow_from: setting(people, 'Identifiers of the people who may talk with the agent', {
		default: [],
		to: asTexts,
	}),
	approvers: setting(
		people,
		'Identifiers of the people who may answer requests for approval; absent: `allow_from`',
		{to: asTexts},
	),
	toolsets: setting(nonEmptyTexts, 'Toolsets instead of `svc-webhook`; an empty list: no tools', {
		byHand: true,
	}),
	model: setting(nonEmptyText, 'Model instead of `model.name`, of the same provider'),
	skills: setting(
		nonEmptyTexts,
		'[Skills](skills.md): the first is loaded, the others may be activated',
		{default: []},
	),
	group_mention: flag(
		true,
		'In larger chats only messages that mention the bot, or answer it, are for it',
	),
} satisfies Declarations;

/** Values of the settings of a platform on which people talk with the agent. */
export type ConversingSettings = ValueOf<typeof conversing>;

/** What listens to a platform. */
export type Listening<Settings> = {
	/** Settings that nothing but listening needs. */
	readonly fields?: readonly string[];
	/** Why it cannot listen with these settings, the keys that lack in words (`"app_token"`); `undefined`: it can. */
	lacks?(settings: Settings): string | undefined;
	/** What its messages call the person who wrote: names that people choose are none. */
	readonly person: {readonly form: RegExp; readonly says: string};
	/** What its messages call a chat, where `chat_id` takes other names, too: in such a chat nobody can answer. */
	readonly chat?: {readonly form: RegExp; readonly says: string};
	/** Whether its messages call a thread a chat of its own. */
	readonly isThreadChat?: true;
	load(): Promise<ListenerModule<Settings>>;
};
