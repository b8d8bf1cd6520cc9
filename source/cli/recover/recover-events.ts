import type {Route} from '../../config/route.ts';
import {SvcError} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import {createRedact} from '../../core/redact.ts';
import {routePath} from '../../core/route-path.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {clientEnvironment} from '../../platforms/forge-comment/client-environment.ts';
import {printableTime} from '../../terminal/text/time.ts';
import {confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {openHome} from '../home/open-home.ts';
import {readConfig, servedRoute} from '../home/receiver-facts.ts';
import {listAttempts, missedEvents} from './attempts.ts';
import {createForgeApi, type ForgeApi} from './forge-api.ts';
import {findHook} from './hooks.ts';
import {idsTakenIn, repositoryOfRoute} from './journal-facts.ts';
import {lineOfRecovered, printMissed, type RecoveryFacts, reportRecovered} from './report.ts';
import {type RecoveryResult, takeIn} from './take-in.ts';

/** The flags of `svc webhook recover`. */
export type RecoverFlags = {
	/** Milliseconds since 1970. */
	readonly since?: number;
	/** `owner/name`. */
	readonly repo?: string;
	readonly hook?: string;
	readonly dryRun?: boolean;
	readonly yes?: boolean;
	readonly json?: boolean;
};

/** About as long as code hosts keep failed deliveries. */
const defaultSpanMs = 3 * 24 * 60 * 60 * 1000;

/** Tolerance for a moment computed from the clock shortly before, as by `--since 3d`. */
const slackMs = 60_000;

/**
 * Finds the events of a route that the code host could not deliver, shows them, and after confirmation takes them in with their original identifiers. Skips those
 * already in the journal, so the command can be repeated.
 *
 * @throws SvcError `route_not_found`, `repo_unknown`, `hook_not_found`, `hook_ambiguous`, `forge_*`, `gateway_not_running`, `confirmation_needed`, `interrupted`
 */
export async function recoverEvents(
	context: Context,
	name: string,
	flags: RecoverFlags,
): Promise<void> {
	const gateway = flags.dryRun ? undefined : await requireGateway(context);
	const config = readConfig(context);
	const failed = `Cannot recover events of "${name}"`;
	const route = servedRoute(context, config, {name, failed});
	const defaultSince = context.clock.now() - defaultSpanMs;
	const since = flags.since ?? defaultSince;
	if (since < defaultSince - slackMs) {
		tell(
			context,
			'Code hosts such as GitHub keep deliveries for three days: older ones may be gone',
		);
	}

	if (config.forge.broken !== undefined) {
		throw new SvcError('config_invalid', `Cannot ask the code host: ${config.forge.broken}`);
	}

	using stop = whenAskedToStop(context);
	const redact = createRedact(() => config.secretValues);
	const api = createForgeApi(
		{
			cli: config.forge.cli,
			environment: clientEnvironment(config.forge.cli, {
				own: context.environment,
				profile: config.profiles.of(route.profile).environment,
			}),
			signal: stop.signal,
			clean: text => escapeLine(redact(text), 400),
		},
		context,
	);

	const {repo, hook, missed, known} = await findMissed(context, {api, route, since, flags});
	const facts: RecoveryFacts = {route: name, repo, hook, since, known};
	if (!flags.json) {
		await printMissed(context, missed, facts);
	}

	if (!gateway || missed.length === 0) {
		if (flags.json) {
			printJson(context, {...facts, events: missed});
		}

		return;
	}

	const question = `Take ${countOf(missed.length, 'event')} into route "${name}"?`;
	if (!(await confirm(context, {question, leaves: 'No event was taken in', yes: flags.yes}))) {
		return;
	}

	const place = {api, gateway, route: name, path: `repos/${repo}/hooks/${hook}/deliveries`};
	const results: RecoveryResult[] = [];
	try {
		for await (const result of takeIn(missed, place)) {
			results.push(result);
			if (!flags.json) {
				printLines(context, [lineOfRecovered(result)]);
			}
		}
	} finally {
		// Also reports after Ctrl-C, because events already taken in stay.
		reportRecovered(context, {facts, missed, results, json: flags.json ?? false});
	}
}

type Search = {
	readonly api: ForgeApi;
	readonly route: Route;
	readonly since: number;
	readonly flags: RecoverFlags;
};

/** The events to take in: those the host could not deliver, minus the ones already here, counted in `known`. */
async function findMissed(context: Context, {api, route, since, flags}: Search) {
	await using home = await openHome(context, 'read');
	const repo = await repositoryOfRoute(home, route, flags.repo);
	if (!flags.json) {
		tell(context, `Asking for the failed deliveries of ${repo} since ${printableTime(since)}`);
	}

	const place = {path: routePath(route), profile: route.profile};
	const hook = flags.hook ?? (await findHook(api, repo, place));
	const {attempts, complete} = await listAttempts(api, {repo, hook, since});
	if (!complete) {
		tell(
			context,
			`Only the newest ${attempts.length} deliveries were looked at: ask again with a later --since`,
		);
	}

	const failed = missedEvents(attempts);
	const here = failed.length === 0 ? new Set<string>() : await idsTakenIn(home, {route, since});
	const missed = failed.filter(({guid}) => !here.has(guid));
	return {repo, hook, missed, known: failed.length - missed.length};
}
