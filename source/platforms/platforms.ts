import type {z} from 'zod';
import type {Target} from '../core/run.ts';
import {dingtalk} from './dingtalk/descriptor.ts';
import {discord} from './discord/descriptor.ts';
import {email} from './email/descriptor.ts';
import {feishu} from './feishu/descriptor.ts';
import {forgeComment} from './forge-comment/descriptor.ts';
import {googlechat} from './googlechat/descriptor.ts';
import {log} from './log/descriptor.ts';
import {matrix} from './matrix/descriptor.ts';
import {mattermost} from './mattermost/descriptor.ts';
import {rocketchat} from './rocketchat/descriptor.ts';
import {signal} from './signal/descriptor.ts';
import {slack} from './slack/descriptor.ts';
import {sms} from './sms/descriptor.ts';
import {platformWords} from './target-keys.ts';
import type {SettingsPart, TargetKind} from './target-kind.ts';
import {teams} from './teams/descriptor.ts';
import {telegram} from './telegram/descriptor.ts';
import {wecom} from './wecom/descriptor.ts';
import {whatsapp} from './whatsapp/descriptor.ts';
import {zulip} from './zulip/descriptor.ts';

/** All kinds of targets, in display order. */
const kinds = [
	log,
	forgeComment,
	telegram,
	discord,
	slack,
	whatsapp,
	signal,
	sms,
	email,
	matrix,
	mattermost,
	teams,
	googlechat,
	zulip,
	rocketchat,
	feishu,
	dingtalk,
	wecom,
] as const satisfies readonly TargetKind[];

/** All kinds of targets. @see manual/delivery.md */
export const targetKinds: readonly TargetKind[] = kinds;

/** Kinds by name, including aliases. */
export const kindsByName = (some: readonly TargetKind[]): ReadonlyMap<string, TargetKind> =>
	new Map(some.flatMap(kind => [kind.kind, ...(kind.aliases ?? [])].map(name => [name, kind])));

const byName = kindsByName(targetKinds);

/** The kind that `deliver` names, by its own name or another one; `undefined` when there is none. */
export const targetNamed = (deliver: string): TargetKind | undefined => byName.get(deliver);

/** Takes any text, also one that may not go to its own target. */
export const defaultKind: TargetKind = log;

/** The target when `deliver` is missing. */
export const defaultTarget = log.kind;

/** The kind of a value of `deliver`: resolves aliases, and uses the default when it is missing. */
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

/** All valid values of `deliver`. @see manual/delivery.md */
export const deliverValues: readonly string[] = [...byName.keys()];

/** Whether people read texts for that kind; true for an unknown kind. */
export const reachesPeople = (kind: string): boolean => targetNamed(kind)?.reachesPeople ?? true;

/** Where an answer goes, in clean words. */
export const placeOf = ({kind, extra}: Target): string => wordsOf(kind).place(extra);

/** What delivering does, in clean words. */
export const effectOf = ({kind, extra}: Target): string => wordsOf(kind).effect(extra);

const wordsOf = (kind: string) => targetNamed(kind) ?? platformWords(kind);

type Platform = Extract<(typeof kinds)[number], {readonly settings: z.ZodType}>;

/** The section `platforms` of the configuration: settings of the kinds that have them. */
export type PlatformsConfig = {
	readonly [Kind in Platform['kind']]?: NonNullable<
		z.output<Extract<Platform, {readonly kind: Kind}>['settings']>
	>;
};

type Sectioned = Extract<(typeof kinds)[number], {readonly section: object}>;

/** The sections of kinds that are not platforms. `broken`: why a section is unusable; nothing else in it counts then. */
export type SectionsConfig = {
	readonly [Kind in Sectioned as Kind['section']['name']]: z.output<Kind['section']['settings']> & {
		readonly broken?: string;
	};
};
