import type {z} from 'zod';
import type {Target} from '../core/run.ts';
import {email} from './email/descriptor.ts';
import {forgeComment} from './forge-comment/descriptor.ts';
import {log} from './log/descriptor.ts';
import {platformWords} from './platform.ts';
import type {SettingsPart, TargetKind} from './target-kind.ts';

/** Every kind of target, in the order in which they are listed. */
const kinds = [log, forgeComment, email] as const satisfies readonly TargetKind[];

/** Platforms by the names that are kept for them. One that has a folder is a kind as above. */
const announced = [
	'telegram',
	'discord',
	'slack',
	'whatsapp',
	'signal',
	'sms',
	'matrix',
	'mattermost',
	'teams',
	'googlechat',
	'zulip',
	'rocketchat',
	'feishu',
	'dingtalk',
	'wecom',
];

/** Every kind of target. @see manual/delivery.md */
export const targetKinds: readonly TargetKind[] = kinds;

/** Kinds by all of their names. */
export const kindsByName = (some: readonly TargetKind[]): ReadonlyMap<string, TargetKind> =>
	new Map(some.flatMap(kind => [kind.kind, ...(kind.aliases ?? [])].map(name => [name, kind])));

const byName = kindsByName(targetKinds);

/** The kind that `deliver` names, by its own name or another one; `undefined` when there is none. */
export const targetNamed = (deliver: string): TargetKind | undefined => byName.get(deliver);

/** Takes any text, also those that may not go where they were meant for. */
export const defaultKind: TargetKind = log;

/** The target of what names none. */
export const defaultTarget = log.kind;

/** The kind behind a value of `deliver`: other names resolved, the default when there is none. */
export const targetOf = (deliver: string | null | undefined): string => {
	const written = deliver ?? defaultTarget;
	return targetNamed(written)?.kind ?? written;
};

/** Kinds with settings below `platforms`. */
export const platformKinds: ReadonlyArray<TargetKind & SettingsPart> = targetKinds.filter(
	kind => kind.settings !== undefined,
);

/** Kinds with a section of their own in `config.yaml`. */
export const sectionsOfKinds = targetKinds.flatMap(({section}) => section ?? []);

/** The kind of a platform; `undefined` for other kinds, and for platforms that this version does not have. */
export const platformNamed = (kind: string): TargetKind | undefined =>
	platformKinds.find(platform => platform.kind === kind);

/** Platforms that this version cannot deliver to. */
export const platformsToCome: readonly string[] = announced.filter(name => !byName.has(name));

/** Every value that `deliver` may have. @see manual/delivery.md */
export const deliverValues: readonly string[] = [...byName.keys(), ...platformsToCome];

/** Whether texts for that kind are read by others; true for one that nobody knows. */
export const reachesPeople = (kind: string): boolean => targetNamed(kind)?.reachesPeople ?? true;

/** Where an answer goes, for a person; cleaned. */
export const placeOf = ({kind, extra}: Target): string => wordsOf(kind).place(extra);

/** What delivering does, for a person; cleaned. */
export const effectOf = ({kind, extra}: Target): string => wordsOf(kind).effect(extra);

const wordsOf = (kind: string) => targetNamed(kind) ?? platformWords(kind);

type Platform = Extract<(typeof kinds)[number], {readonly settings: z.ZodType}>;

/** What is configured below `platforms`: the settings of the kinds that have them. */
export type PlatformsConfig = {
	readonly [Kind in Platform['kind']]?: NonNullable<
		z.output<Extract<Platform, {readonly kind: Kind}>['settings']>
	>;
};

type Sectioned = Extract<(typeof kinds)[number], {readonly section: object}>;

/** The sections that kinds have for themselves. `broken`: why one cannot be used; nothing else of it counts then. */
export type SectionsConfig = {
	readonly [Kind in Sectioned as Kind['section']['name']]: z.output<Kind['section']['settings']> & {
		readonly broken?: string;
	};
};
