import {basename} from 'node:path';
import type {Diagnostic} from '../core/config-view.ts';
import {isLoopbackHost} from '../core/hosts.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {diagnoseAlerts} from './alerts.ts';
import {approvalChatsOf, diagnoseApprovalChats, fileRulesOf} from './approval-rules.ts';
import {declaredSecrets, notedSchemaJson} from './config-schema-json.ts';
import type {Config, HomePaths, LoadedConfig, Profiles} from './config.ts';
import {diagnoseModel, diagnoseProfiles, diagnoseServers, diagnoseToolsets} from './diagnose.ts';
import {type Environment, userHomeOf} from './environment.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {findKeysWithoutValue, idleSkills, withoutValue} from './idle-settings.ts';
import {readSoundPart, itemKey, type SoundData} from './item-errors.ts';
import {keepLastGood, withInUse} from './keep-last-good.ts';
import {parseConfig} from './parse-config.ts';
import {
	below,
	boundedProblems,
	inFileOrder,
	placeless,
	type UnplacedDiagnostic,
	warningsAt,
} from './place-diagnostic.ts';
import type {KeyPath} from './plain-data.ts';
import {platformsIn, secretsOfPlatforms, sectionsIn} from './platform-settings.ts';
import {servedProfile, routesPlace} from './profiles.ts';
import {
	resolveConfigReferences,
	hasReference,
	withApiVariables,
	type VariableProblem,
} from './references.ts';
import {findUnknownKeys, unknownKey, type UnknownKey} from './schema-issues.ts';
import {collectSecrets} from './secret-values.ts';
import {serverSecrets} from './server-secrets.ts';
import {reasonsOf, receiverPath, sortErrors} from './sort-errors.ts';
import {storeSecrets} from './store-place.ts';
import {toolServersOf} from './tool-servers.ts';
import {findWeakSecrets} from './weak-secrets.ts';
import {resolveWebhook} from './webhook-config.ts';
import {maxProblems} from './yaml-source.ts';

export type LoadOptions = {
	readonly paths: HomePaths;
	/** The process's environment; the profile's `.env` is read here and overrides it. */
	readonly environment: Environment;
	/** Unknown keys are errors, as in `svc config check`; otherwise warnings. */
	readonly strict?: boolean;
	/** The configuration in use: items that are now invalid keep their version there. */
	readonly before?: Config;
};

/** The context in which the data of a file is interpreted. */
export type Surroundings = LoadOptions & {
	/** The output of the parser. */
	readonly written: unknown;
	/** The process's variables, overridden by the home's `.env`. */
	readonly merged: Environment;
	readonly profiles: Profiles;
	readonly multiplexProfiles: boolean;
	readonly exists: boolean;
	readonly blank: boolean;
	readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
};

/** The configuration for the plain data of `config.yaml`. */
export function interpretConfig(
	{data, findings: ofData}: SoundData,
	surroundings: Surroundings,
): LoadedConfig {
	const {paths, merged, profiles, multiplexProfiles, place, strict = false} = surroundings;
	const serving = {profile: paths.profile, multiplexProfiles, profiles};
	const {value, findings: ofReferences} = resolveConfigReferences(data, profile => {
		const served = servedProfile(profile, serving);
		return served === undefined
			? undefined
			: {profile: served, environment: profiles.of(served).environment};
	});
	const {before} = surroundings;
	const homes = {home: paths.home, userHome: userHomeOf(surroundings.environment)};
	const sound = readSoundPart(value, [...ofData, ...ofReferences], part =>
		parseConfig(part, homes),
	);
	if (!sound.ok) {
		return refused(sound.findings.slice(0, maxProblems).map(finding => place(finding)));
	}

	const {platforms, model, runs, metrics, retention, tls, api, approvals, mcp_servers} =
		sound.parsed;
	const {alerts, toolsets, tools, sandbox} = sound.parsed;
	const {multiplexProfiles: _, ...gateway} = sound.parsed.gateway;
	// An unknown key that disables its item is reported only with the item.
	const refusedKeys = new Set(
		[...sound.itemErrors.values()]
			.flatMap(({findings}) => findings)
			.flatMap(({path, unknownKeys = [], shownAt}) => [
				...unknownKeys.map(key => itemKey([...path, key])),
				...(shownAt ? [itemKey(shownAt)] : []),
			]),
	);
	const itemErrors = sortErrors(sound.itemErrors, surroundings.written, value);
	const configured = platformsIn(platforms ?? {}, before?.platforms);
	const toolServers = toolServersOf(mcp_servers);
	const known = {toolServers, toolsets, itemErrors: itemErrors.items};
	const routesAt = routesPlace(value);
	const {
		webhook,
		lastRoutes,
		hasLastValues,
		problems: ofVariables,
	} = resolveWebhook(platforms?.webhook, {
		...serving,
		environment: merged,
		unread: itemErrors.routes,
		unreadSettings: itemErrors.receiver,
		before: before?.webhook,
		place: (name, finding) => place(below([...routesAt, name], finding)),
	});
	const chat = withApiVariables(api, {
		written: isJsonObject(value) ? value['api'] : undefined,
		environment: merged,
	});
	const aboutVariable = ({name, message}: VariableProblem) =>
		placeless(paths.env, {key: name, message});
	const ofEnvironment = ofVariables.map(aboutVariable);
	const problems = boundedProblems(
		[
			...itemErrors.findings.map(finding => place(finding)),
			...webhook.invalid.map(({problem}) => problem),
			...ofEnvironment,
			...chat.problems.map(aboutVariable),
			...[
				...findUnknownKeys(value, notedSchemaJson())
					.filter(({path}) => !refusedKeys.has(itemKey(path)))
					.map(key => aboutUnknown(key, {strict, host: webhook.host})),
				...findKeysWithoutValue(value).flatMap(path => warningsAt(path, withoutValue, 'key')),
				...[...webhook.routes.values()].flatMap(route =>
					warningsAt([...routesAt, route.name, 'skills'], idleSkills(route), 'key'),
				),
				...diagnoseModel(model),
				...diagnoseProfiles(value, {paths, webhook, profiles}),
				...findWeakSecrets(value, webhook),
				...diagnoseServers(mcp_servers),
				...diagnoseToolsets(value, webhook.routes, known),
				...diagnoseApprovalChats(approvals.chats, {platforms: configured}),
				...diagnoseAlerts(value, {platforms: configured, itemErrors: itemErrors.items}),
			].map(finding => place(finding)),
			...profiles.problems.map(aboutProfile),
		],
		paths.config,
	);
	const rest = withoutServers(value);
	const ofReceiver = ofEnvironment
		.slice(0, 1)
		.map(problem => ({path: receiverPath, reason: formatDiagnostic(problem)}));
	const reasons = new Map(
		[...ofReceiver, ...reasonsOf(itemErrors, place)].map(one => [itemKey(one.path), one]),
	);

	return {
		ok: true,
		config: keepLastGood(
			{
				paths,
				webhook,
				model,
				runs,
				...sectionsIn(sound.parsed),
				gateway,
				multiplexProfiles,
				profiles,
				metrics,
				platforms: configured,
				toolServers,
				toolsets,
				tools,
				sandbox,
				approvalRules: fileRulesOf(approvals.allow, {
					userHome: userHomeOf(surroundings.environment),
					placeOf: index => placeText(place({path: ['approvals', 'allow', index], message: ''})),
				}),
				approvalChats: approvalChatsOf(approvals.chats),
				alerts,
				retention,
				tls,
				api: chat.api,
				itemErrors: new Map(),
				secretValues: [
					...new Set([
						...collectSecrets(
							{secret: [...webhook.secrets, ...declaredSecrets(rest)], value: rest},
							[
								// Child programs get the process's variables, also those that `.env` overrides.
								surroundings.environment,
								merged,
								...profiles.others.map(({environment}) => environment),
							],
						),
						...secretsOfPlatforms(configured),
						...storeSecrets(gateway.store),
						...[...toolServers.values()].flatMap(serverSecrets).filter(text => !hasReference(text)),
					]),
				],
				environment: merged,
				problems,
				written: before
					? withInUse(
							data,
							before.written,
							[...sound.itemErrors.values()]
								.filter(isKeptInPlace)
								.flatMap(({item, findings}) => [
									item,
									...findings.flatMap(({shownAt}) => (shownAt ? [shownAt] : [])),
								]),
						)
					: data,
				exists: surroundings.exists,
				blank: surroundings.blank,
			},
			{
				reasons: [...reasons.values()],
				isReceiverUsable: hasLastValues,
				lastRoutes,
				before,
			},
		),
	};
}

/** Elements of lists have no last good version. */
const isKeptInPlace = ({item}: {readonly item: KeyPath}): boolean =>
	typeof item.at(-1) !== 'number';

const placeText = ({file, line}: Diagnostic): string => `${basename(file)}:${line}`;

/** Secrets of tool servers are collected by `serverSecrets`: their placeholders must stay legible. */
const withoutServers = (value: JsonValue): JsonValue =>
	isJsonObject(value) ? {...value, mcp_servers: null} : value;

/** A problem of one profile is a warning: the rest of the file is used. */
const aboutProfile = ({file, message}: Profiles['problems'][number]): Diagnostic => ({
	...placeless(file, {message}),
	severity: 'warning',
});

const aboutUnknown = (
	key: UnknownKey,
	{strict, host}: {readonly strict: boolean; readonly host: string},
): UnplacedDiagnostic => ({
	path: key.path,
	at: 'key',
	severity: strict ? 'error' : 'warning',
	// Says at once that a misspelt `host` opens the port to other machines.
	message: `${unknownKey(key)}${isForHost(key) && !isLoopbackHost(host) ? `; the receiver listens on ${escapeLine(host, 60)} until that is mended` : ''}`,
});

const isForHost = ({path: [section, name], nearest}: UnknownKey): boolean =>
	nearest === 'host' && section === 'platforms' && name === 'webhook';

/** No part of the file can be used. */
export const refused = (problems: readonly Diagnostic[]): LoadedConfig => ({
	ok: false,
	problems: inFileOrder(problems),
});
