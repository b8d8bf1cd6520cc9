import {
	checkSubscription,
	type CheckedSubscription,
	isStaticName,
} from '../../config/check-subscription.ts';
import {areCodeHostEvents} from '../../config/code-host-events.ts';
import type {Config} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {
	fillDeliverExtra,
	mergeSubscription,
	type SubscribeFlags,
} from '../../config/merge-subscription.ts';
import type {Route} from '../../config/route.ts';
import {editSubscriptions} from '../../config/subscriptions.ts';
import {dayOf} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import {orElse} from '../../core/or-else.ts';
import {routePath} from '../../core/route-path.ts';
import {findCronJob, problemWithJob} from '../../gateway/jobs/find-cron-job.ts';
import {curlLine, sampleRequest} from '../../gateway/receiver/sample-event.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {JobDefinition} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell, tellEach} from '../console/print.ts';
import {findGateway} from '../home/gateway-access.ts';
import {readConfig, urlOf} from '../home/receiver-facts.ts';
import {servedByNobody, servingHome} from '../home/serving-home.ts';
import {prefetchProblemsNow, problemsNow, readingProblemsNow} from '../home/targets-now.ts';
import {capabilityLine, capabilityOf} from './capability.ts';
import {readFilters} from './read-filters.ts';

/** The flags of `svc webhook subscribe`, as parsed. */
export type SubscribeOptions = Omit<SubscribeFlags, 'filters'> & {
	readonly filtersFile?: string;
	readonly deliverExtra?: Readonly<Record<string, string>>;
	readonly json?: boolean;
};

/**
 * Creates or changes a dynamic route; prints its URL, its secret if new, a ready curl command, and what its events can cause.
 *
 * @throws SvcError `subscription_refused`, `job_not_found`, `job_ambiguous`, `job_invalid`, …
 */
export async function subscribe(
	context: Context,
	name: string,
	{filtersFile, deliverExtra, json, ...rest}: SubscribeOptions,
): Promise<void> {
	const filters = filtersFile === undefined ? undefined : await readFilters(context, filtersFile);
	const flags: SubscribeFlags = {...rest, filters};
	const paths = context.paths();
	ensureHome(paths);
	const config = readConfig(context);
	if (isStaticName(name, config)) {
		throw new SvcError(
			'subscription_refused',
			`Cannot subscribe "${name}": config.yaml has a route "${name}", which wins over a dynamic route: take another name, or change that route there`,
		);
	}

	// An entry that is not an object has no secret: one is generated, and must be shown.
	let isNew = true;
	let checked: CheckedSubscription = {refusals: [], warnings: []};
	const entries = await editSubscriptions(
		paths,
		before => {
			const existing = Object.hasOwn(before, name) ? before[name] : undefined;
			const known = isJsonObject(existing) ? existing : undefined;
			isNew = known === undefined;
			const merged = mergeSubscription(known, flags, {today: dayOf(context.clock.now())});
			const entry = fillDeliverExtra(merged, deliverExtra);
			checked = checkSubscription(name, entry, config);
			const [refusal] = checked.refusals;
			if (refusal) {
				throw new SvcError('subscription_refused', refusal.reason);
			}

			// "The `--cron-job` reference is validated at creation time": also when an existing route gets another profile. See manual/routes.md#dynamic-routes
			if (typeof flags.cronJob === 'string' || flags.routeProfile !== undefined) {
				findCronJob(context, entry, config);
			}

			return {...before, [name]: entry};
		},
		{clock: context.clock},
	);
	const entry = entries[name];
	await report(context, {
		name,
		entry: isJsonObject(entry) ? entry : {},
		checked,
		config,
		isNew,
		showSecret: isNew || flags.secret !== undefined,
		json,
	});
}

type Subscribed = {
	readonly name: string;
	/** As written. */
	readonly entry: JsonObject;
	readonly checked: CheckedSubscription;
	readonly config: Config;
	readonly isNew: boolean;
	readonly showSecret: boolean;
	readonly json: boolean | undefined;
};

/** Prints where to send events, the secret if new, a ready curl command, and what events can cause. */
async function report(
	context: Context,
	{name, entry, checked, config, isNew, showSecret, json}: Subscribed,
): Promise<void> {
	const {route, warnings: known} = checked;
	const ofJob = route && problemWithJob(context, route, config);
	const servedThere = await servingHome(context);
	const warnings = [
		...known,
		...(ofJob === undefined ? [] : [`It ${ofJob}`]),
		...(servedThere ? [servedByNobody(name, servedThere)] : []),
		...(route ? await cannotSend(context, route, config) : []),
	];
	// A route for a profile that is not served has a URL all the same.
	const {profile = 'default'} = entry;
	const place = route ?? {name, profile: typeof profile === 'string' ? profile : 'default'};
	const url = urlOf(config) + routePath(place);
	const request = route && sampleRequest(route, {now: context.clock.now()});
	const curl = request?.isSigned ? curlLine(url, request) : undefined;
	const secret = showSecret && typeof entry['secret'] === 'string' ? entry['secret'] : undefined;
	const job = jobOf(context, entry, config);
	// What an unknown job can cause is unknown.
	const isKnown = route && (route.cronJob === undefined || job);
	const capability = isKnown && (await capabilityOf(context, route, job));
	const line = capability && capabilityLine(capability);
	const advice = route && overflowAdvice(route, entry);
	if (json) {
		printJson(context, {
			name,
			url,
			created: isNew,
			secret,
			curl,
			capability: capability && {...capability, line},
			warnings: warnings.length > 0 ? warnings : undefined,
			advice,
		});
		return;
	}

	tellEach(context, [...warnings, ...(capability?.notes ?? [])]);

	printLines(context, [
		`${isNew ? 'Created' : 'Updated'} ${name}`,
		`url     ${url}`,
		secret === undefined ? 'secret  unchanged' : `secret  ${secret}   (shown once)`,
		...(line === undefined ? [] : [`can     ${line}`]),
		...(advice === undefined ? [] : [`advice  ${advice}`]),
		...(curl ? ['', 'Try it:', curl] : []),
	]);
	if (!config.webhook.enabled && !servedThere) {
		tell(context, 'The webhook receiver is not enabled: svc gateway setup --enable');
	}
}

/** Printed as long as the route has no `overflow` setting. */
const overflowAdvice = (
	{events, rateLimit, deliverOnly}: Route,
	{overflow}: JsonObject,
): string | undefined =>
	areCodeHostEvents(events) && !deliverOnly && overflow === undefined
		? `--overflow queue keeps events above ${rateLimit} a minute: code hosts never send again what is answered 429`
		: undefined;

/** `undefined` if the job no longer exists, or its name has become ambiguous: changing other settings is still allowed. */
const jobOf = (context: Context, entry: JsonObject, config: Config): JobDefinition | undefined =>
	orElse(() => findCronJob(context, entry, config), undefined);

/** Why its answers cannot be delivered now; a job's target is checked with the job. */
async function cannotSend(
	context: Context,
	route: Route,
	config: Config,
): Promise<readonly string[]> {
	const {cronJob, deliver, profile} = route;
	if (cronJob !== undefined) {
		return [];
	}

	const isForLog = await goesToLog(context, route, config);
	const [problem] = await problemsNow(context, config, [{kind: deliver, profile}]);
	const [ofPrefetch] = await prefetchProblemsNow(context, config, [route]);
	const [ofReading] = await readingProblemsNow(context, config, [route]);
	return compact([
		isForLog &&
			'Its answers go to the log alone: no language model is configured (svc help model), and model.allow_offline_delivery is not set',
		problem !== undefined && `Its answers cannot be delivered now: ${problem}`,
		ofPrefetch !== undefined && `What it prefetches cannot be got now: ${ofPrefetch}`,
		ofReading !== undefined &&
			`What its commands read of the code host cannot be got now: ${ofReading}`,
	]);
}

/** Whether no language model would answer, by the running gateway, else by the file. */
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
