import {areCodeHostEvents} from '../../config/code-host-events.ts';
import type {Config} from '../../config/config.ts';
import type {Route} from '../../config/route.ts';
import type {JsonObject} from '../../core/json.ts';
import {routePath} from '../../core/route-path.ts';
import {findCronJob, problemWithJob} from '../../gateway/jobs/find-cron-job.ts';
import {curlLine, sampleRequest} from '../../gateway/receiver/sample-event.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {JobDefinition} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {findGateway} from '../home/gateway-access.ts';
import {urlOf} from '../home/receiver-facts.ts';
import {type ServingHome, servedByNobody} from '../home/serving-home.ts';
import {problemsNow} from '../home/targets-now.ts';
import {capabilityLine, capabilityOf, type Capability} from './capability.ts';
import {toolsOfRuns} from './tools-of-runs.ts';

/** What `svc webhook subscribe` has done. */
export type Subscribed = {
	readonly name: string;
	/** As written. */
	readonly entry: JsonObject;
	/** What it is served as, if it is. */
	readonly route?: Route | undefined;
	readonly config: Config;
	readonly isNew: boolean;
	readonly showSecret: boolean;
	/** What a person should know of it, one sentence each. */
	readonly warnings: readonly string[];
	/** Where the routes of this profile have to be for anybody to serve them, if not here. */
	readonly servedThere?: ServingHome | undefined;
	readonly json: boolean;
};

/** Prints a subscription: where events go, the secret when it is new, a ready curl line, and what they can make happen. */
export async function reportSubscription(
	context: Context,
	{name, entry, route, config, isNew, showSecret, warnings: known, servedThere, json}: Subscribed,
): Promise<void> {
	const ofJob = route && problemWithJob(context, route, config);
	const warnings = [
		...known,
		...(ofJob === undefined ? [] : [`It ${ofJob}`]),
		...(servedThere ? [servedByNobody(name, servedThere)] : []),
		...(await cannotSend(context, route, config)),
	];
	const url = urlOf(config) + pathOf(name, entry, route);
	const request = route && sampleRequest(route, {now: context.clock.now()});
	const curl = request?.isSigned ? curlLine(url, request) : undefined;
	const secret = showSecret && typeof entry['secret'] === 'string' ? entry['secret'] : undefined;
	const job = jobOf(context, entry, config);
	// What a job that is not known can do is not known either.
	const capability =
		route && (route.cronJob === undefined || job)
			? await capabilityFor(context, route, job)
			: undefined;
	const advice = route === undefined ? undefined : overflowAdvice(route, entry);
	if (json) {
		printJson(context, {
			name,
			url,
			created: isNew,
			...(secret !== undefined && {secret}),
			...(curl && {curl}),
			...(capability && {capability: {...capability, line: capabilityLine(capability)}}),
			...(warnings.length > 0 && {warnings}),
			...(advice !== undefined && {advice}),
		});
		return;
	}

	for (const sentence of [...warnings, ...(capability?.notes ?? [])]) {
		tell(context, sentence);
	}

	printLines(context, [
		`${isNew ? 'Created' : 'Updated'} ${name}`,
		`url     ${url}`,
		secret === undefined ? 'secret  unchanged' : `secret  ${secret}   (shown once)`,
		...(capability ? [`can     ${capabilityLine(capability)}`] : []),
		...(advice === undefined ? [] : [`advice  ${advice}`]),
		...(curl ? ['', 'Try it:', curl] : []),
	]);
	if (!config.webhook.enabled && !servedThere) {
		tell(context, 'The webhook receiver is not enabled: svc gateway setup --enable');
	}
}

/** Said until somebody has decided it either way. */
function overflowAdvice(
	{events, rateLimit, deliverOnly}: Route,
	entry: JsonObject,
): string | undefined {
	return areCodeHostEvents(events) && !deliverOnly && entry['overflow'] === undefined
		? `--overflow queue keeps events above ${rateLimit} a minute: code hosts never send again what is answered 429`
		: undefined;
}

/** A route of a profile that is not served has its place all the same. */
function pathOf(name: string, {profile}: JsonObject, route: Route | undefined): string {
	return routePath(route ?? {name, profile: typeof profile === 'string' ? profile : 'default'});
}

/** `undefined` for one that has gone since, or has a namesake now: a change of something else is no reason to refuse the route. */
function jobOf(context: Context, entry: JsonObject, config: Config): JobDefinition | undefined {
	try {
		return findCronJob(context, entry, config);
	} catch {
		return undefined;
	}
}

/** That of a job is told of where the job is. */
async function cannotSend(
	context: Context,
	route: Route | undefined,
	config: Config,
): Promise<readonly string[]> {
	if (!route || route.cronJob !== undefined) {
		return [];
	}

	const isForLog = await goesToLog(context, route, config);
	const [problem] = await problemsNow(context, config, [
		{kind: route.deliver, profile: route.profile},
	]);
	return [
		...(isForLog
			? [
					'Its answers go to the log alone: no language model is configured (svc help model), and model.allow_offline_delivery is not set',
				]
			: []),
		...(problem === undefined ? [] : [`Its answers cannot be delivered now: ${problem}`]),
	];
}

/** Whether no language model would answer, as the running gateway has it, else as the file says. */
async function goesToLog(
	context: Context,
	{deliver, deliverOnly}: Route,
	{model}: Config,
): Promise<boolean> {
	if (deliverOnly || !reachesPeople(deliver) || model.allowOfflineDelivery) {
		return false;
	}

	const gateway = await findGateway(context).catch(() => undefined);
	const status = await gateway?.status().catch(() => undefined);
	return (status?.model?.provider ?? model.provider) === 'offline';
}

async function capabilityFor(
	context: Context,
	route: Route,
	job: JobDefinition | undefined,
): Promise<Capability> {
	const toolsets = route.cronJob === undefined ? route.toolsets : job?.toolsets;
	const runTools = await toolsOfRuns(context, {profile: route.profile, toolsets});
	return capabilityOf(route, {runTools, job});
}
