import {z} from 'zod';
import type {FileRule} from '../core/approval.ts';
import {keysText, writtenKeys} from '../core/approvals/rule-keys.ts';
import {didYouMean, quotedName} from '../core/names.ts';
import {anyJson, checked, nonBlankText, requiredSetting, setting} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {escapeLine} from '../core/untrusted.ts';
import {platformKinds, platformNamed} from '../platforms/platforms.ts';
import {chatName} from '../platforms/settings.ts';
import type {Config} from './config.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {conversingSettings, isHeard, problemWithChatId} from './platform-settings.ts';
import {problemWithRouteName} from './route-schema.ts';

const maxRules = 200;

const hash = /^(?:sha256:)?[0-9a-f]{64}$/;

const noPattern = (text: string): string | undefined =>
	text.includes('*') ? 'is a name: a pattern is not taken' : undefined;

/** An entry of `approvals.allow`. @see manual/approvals.md#rules-by-hand */
export const ruleSettings = defineSettings({
	route: setting(
		checked(z.string(), name => noPattern(name) ?? problemWithRouteName(name)),
		'Route whose runs the rule covers; this or `job`',
	),
	job: setting(
		checked(nonBlankText, noPattern),
		'ID or name of the job whose runs the rule covers, except those that an event fired',
	),
	profile: setting(nonBlankText, 'Profile of the route or the job', {default: 'default'}),
	tool: requiredSetting(
		checked(z.string(), name =>
			/^[A-Za-z0-9_-]{1,64}$/.test(name)
				? undefined
				: (noPattern(name) ?? 'is not the name of a tool as models call it, mcp__<server>__<tool>'),
		),
		'The tool, as models call it: `mcp__files__write_file`',
	),
	when: setting(
		z.record(z.string(), anyJson),
		'Arguments that are compared, each under its dotted path; all others may be anything. Each has a value, or a folder with a slash at its end (`~/notes/`): each path must then be below it. Required for a tool that may destroy',
	),
	definition: setting(
		z.string().refine(text => hash.test(text), 'is not a SHA-256 of 64 hexadecimal digits'),
		'SHA-256 of the definition that the tool must have, from `svc approvals rules --json`; absent: the one that the tool has when it is first seen after the entry was written',
	),
});

/** Unknown keys are refused: a misspelt `when` must not make a rule without one. */
const ruleSchema = z
	.strictObject(ruleSettings.fields, {
		error: issue => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys) : undefined),
	})
	.superRefine((rule, context) => {
		for (const {path, message} of problemsWith(rule)) {
			context.addIssue({code: 'custom', message, path: [...path]});
		}
	})
	.meta({id: 'approval_rule', description: 'Calls that need no yes'});

const unknownKeys = (keys: readonly string[]): string =>
	keys
		.map(
			key =>
				`"${escapeLine(key, 40)}" is no key of a rule${didYouMean(key, Object.keys(ruleSettings.fields))}`,
		)
		.join('; ');

type RawRule = z.output<typeof ruleSchema>;

function problemsWith({route, job, when, definition}: RawRule): readonly UnplacedDiagnostic[] {
	const owners = [route, job].filter(name => typeof name === 'string').length;
	// Whether a folder is valid does not depend on the home, so any home will do.
	const keys = when && writtenKeys(when, '/home');
	// A key without a value must not make a rule without that condition.
	const empty = Object.entries({when, definition}).filter(([, value]) => value === null);
	return [
		...empty.map(([key]) => ({path: [key], message: 'is empty: fill it in, or take it out'})),
		...(owners === 1 ? [] : [{path: [], message: 'needs "route" or "job", one of the two'}]),
		...(keys && 'problem' in keys
			? [{path: keys.key === '' ? ['when'] : ['when', keys.key], message: keys.problem}]
			: []),
	];
}

const maxChats = 50;

const chatSettings = defineSettings({
	platform: requiredSetting(
		checked(z.string(), name =>
			platformNamed(name)?.listens
				? undefined
				: `must be a platform on which people can answer: ${listened.join(', ')}`,
		),
		'The platform',
	),
	chat_id: requiredSetting(chatName, 'The chat, as in `deliver_extra`', {as: 'chat', to: String}),
	thread_id: setting(chatName, 'A thread of it', {as: 'thread', to: String}),
});

const listened = platformKinds.flatMap(({kind, listens}) => (listens ? [kind] : []));

const chatSchema = chatSettings.schema.meta({
	id: 'approvalChat',
	description: 'A chat in which calls are asked about',
});

/** A chat that receives requests for approval of calls in runs of routes and jobs. */
export type ApprovalChat = ReturnType<typeof chatSettings.read>;

type WrittenChat = Parameters<typeof chatSettings.read>[0] | null;

/** Warnings about configured chats from which no answer to a request can arrive. */
export function diagnoseApprovalChats(
	written: readonly WrittenChat[],
	config: Pick<Config, 'platforms'>,
): readonly UnplacedDiagnostic[] {
	return written.flatMap((entry, index): readonly UnplacedDiagnostic[] => {
		const problem = entry && problemWithChat(chatSettings.read(entry), config);
		return problem
			? [
					{
						path: ['approvals', 'chats', index, problem.key],
						message: `nobody can answer there: ${problem.message}`,
						severity: 'warning',
					},
				]
			: [];
	});
}

/** Why no answer can arrive from a chat, and the key that causes it; `undefined`: answers can arrive. */
function problemWithChat(
	{platform, chat, thread}: ApprovalChat,
	config: Pick<Config, 'platforms'>,
): {readonly key: 'chat_id' | 'platform' | 'thread_id'; readonly message: string} | undefined {
	const settings = conversingSettings(config, platform);
	if (!settings || !isHeard(config, platform)) {
		const message = `platforms.${platform} is not enabled with "inbound: true"`;
		return {key: 'platform', message};
	}

	if ('approvals' in settings && settings.approvals !== true) {
		return {key: 'platform', message: `platforms.${platform}.approvals is not true`};
	}

	const extra = {chat_id: chat, ...(thread !== undefined && {thread_id: thread})};
	const ofChat = problemWithChatId(platform, extra, settings);
	if (ofChat !== undefined) {
		return {key: 'chat_id', message: ofChat};
	}

	const {chat: named, isThreadChat} = platformNamed(platform)?.listens ?? {};
	if (named?.form.test(chat) === false) {
		return {key: 'chat_id', message: `answers come from ${named.says}, write that`};
	}

	return isThreadChat && thread !== undefined
		? {
				key: 'thread_id',
				message: `a thread is a chat of its own on ${platform}, write it as chat_id`,
			}
		: undefined;
}

/** The chats of `approvals.chats`; invalid ones are null and left out. */
export const approvalChatsOf = (written: readonly WrittenChat[]): readonly ApprovalChat[] =>
	written.flatMap(entry => (entry ? [chatSettings.read(entry)] : []));

/** `approvals`. @see manual/approvals.md#rules-by-hand */
export const approvalsSettings = defineSettings({
	chats: setting(
		z.array(chatSchema.nullable()).max(maxChats),
		'[Chats](conversations.md#approvals) in which calls of routes and jobs are asked about: `{platform, chat_id, thread_id}`',
		{default: []},
	),
	allow: setting(
		z.array(ruleSchema.nullable()).max(maxRules),
		'[Rules by hand](approvals.md#rules-by-hand): calls that need no yes',
		{default: []},
	),
});

/** The rules of `approvals.allow`. `placeOf` gives the file and line of the entry at an index. */
export function fileRulesOf(
	written: readonly (RawRule | null)[],
	{userHome, placeOf}: {readonly userHome: string; readonly placeOf: (index: number) => string},
): readonly FileRule[] {
	return written.flatMap((entry, index): readonly FileRule[] => {
		if (!entry) {
			return [];
		}

		const {route, job, profile, tool, when, definition} = ruleSettings.read(entry);
		const keys = when && writtenKeys(when, userHome);
		// A rule with an unreadable condition is left out: without the condition it would allow more.
		if (keys && 'problem' in keys) {
			return [];
		}

		return [
			{
				owner: route === undefined ? {kind: 'job', name: job ?? ''} : {kind: 'route', name: route},
				profile,
				name: tool,
				...(keys && {when: keys.keys}),
				...(definition !== undefined && {definition: definition.replace('sha256:', '')}),
				place: placeOf(index),
			},
		];
	});
}

/** A rule in words, for the report of a reload. */
export const reportedRule = ({owner, name, profile, when, definition}: FileRule): string =>
	[
		`${owner.kind} ${quotedName(owner.name)} may call ${name}`,
		...(when ? [keysText(when)] : []),
		...(profile === 'default' ? [] : [`profile ${profile}`]),
		...(definition === undefined ? [] : [`definition ${definition.slice(0, 12)}`]),
	].join(', ');
