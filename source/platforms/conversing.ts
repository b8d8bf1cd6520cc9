import {z} from 'zod';
import {flag, nonEmptyText, nonEmptyTexts, setting} from '../core/schema-parts.ts';
import type {Declarations, ValueOf} from '../core/settings.ts';
import type {ListenerModule} from './listener.ts';
import type {KeyForm} from './platform.ts';
import {chatName} from './settings.ts';

/** Identifiers of people. */
const people = z.array(chatName).max(1000);

const asTexts = (written: ReadonlyArray<string | number>): readonly string[] => written.map(String);

/** The settings of a platform on which people talk with the agent. */
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
		'In chats with more people the agent reads only messages that mention the bot or answer it',
	),
} satisfies Declarations;

/** The values of these settings. */
export type ConversingSettings = ValueOf<typeof conversing>;

/** How a platform is listened to. */
export type Listening<Settings> = {
	/** Settings that only listening needs. */
	readonly fields?: readonly string[];
	/** Names the settings missing for listening (`"app_token"`); `undefined` when there are none. */
	lacks?(settings: Settings): string | undefined;
	/** The form of people's identifiers in its messages, never of names that people choose. */
	readonly person: KeyForm;
	/** The form of chats' identifiers in its messages, if `chat_id` also accepts other names: a chat given by another name cannot be answered. */
	readonly chat?: KeyForm;
	/** Set if its messages represent a thread as a chat. */
	readonly isThreadChat?: true;
	load(): Promise<ListenerModule<Settings>>;
};
