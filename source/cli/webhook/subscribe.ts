import {
	checkSubscription,
	type CheckedSubscription,
	isStaticName,
} from '../../config/check-subscription.ts';
import type {Config} from '../../config/config.ts';
import {editSubscriptions} from '../../config/edit-subscriptions.ts';
import {fillDeliverExtra} from '../../config/fill-deliver-extra.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {mergeSubscription, type SubscribeFlags} from '../../config/merge-subscription.ts';
import {dayOf} from '../../core/day-of.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {findCronJob} from '../../gateway/jobs/find-cron-job.ts';
import type {Context} from '../console/context.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {servingHome} from '../home/serving-home.ts';
import {readFilters} from './read-filters.ts';
import {reportSubscription} from './report-subscription.ts';

/** The flags of `svc webhook subscribe`, as the command line gives them. */
export type SubscribeOptions = Omit<SubscribeFlags, 'filters'> & {
	readonly filtersFile?: string;
	readonly deliverExtra?: Readonly<Record<string, string>>;
	readonly json?: boolean;
};

/**
 * Creates or changes a subscription; prints its URL, its secret if it is new, a ready curl line, and what whoever has them can make happen.
 *
 * @throws SvcError `subscription_refused`, `job_not_found`, `job_ambiguous`, `job_invalid`, …
 */
export async function subscribe(
	context: Context,
	{name, options}: {readonly name: string; readonly options: SubscribeOptions},
): Promise<void> {
	const {filtersFile, deliverExtra, json = false, ...rest} = options;
	const filters = filtersFile === undefined ? undefined : await readFilters(context, filtersFile);
	const flags: SubscribeFlags = {...rest, ...(filters !== undefined && {filters})};
	const paths = context.paths();
	ensureHome(paths);
	const config = readConfig(context);

	// An entry that is no object has no secret either: one is made, and has to be shown.
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
			checked = checkEntry(context, {name, entry, config, flags});
			return {...before, [name]: entry};
		},
		{clock: context.clock},
	);
	const entry = entries[name];
	await reportSubscription(context, {
		name,
		entry: isJsonObject(entry) ? entry : {},
		route: checked.route,
		config,
		isNew,
		showSecret: isNew || flags.secret !== undefined,
		warnings: checked.warnings,
		servedThere: await servingHome(context),
		json,
	});
}

/** "The `--cron-job` reference is validated at creation time": also when another profile is named for one that is there. @see manual/routes.md#subscriptions */
function checkEntry(
	context: Context,
	{
		name,
		entry,
		config,
		flags,
	}: {
		readonly name: string;
		readonly entry: JsonObject;
		readonly config: Config;
		readonly flags: SubscribeFlags;
	},
): CheckedSubscription {
	if (isStaticName(name, config)) {
		throw new SvcError(
			'subscription_refused',
			`Cannot subscribe "${name}": config.yaml has a route "${name}", which wins over a subscription: take another name, or change that route there`,
		);
	}

	const checked = checkSubscription(name, entry, config);
	const [refusal] = checked.refusals;
	if (refusal) {
		throw new SvcError('subscription_refused', refusal.reason);
	}

	if (typeof flags.cronJob === 'string' || flags.routeProfile !== undefined) {
		findCronJob(context, entry, config);
	}

	return checked;
}
