import {secretsOfConfig} from '../../config/expand-server.ts';
import {loadConfig} from '../../config/load-config.ts';
import {within} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Finding} from '../../core/health.ts';
import {createRedact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {checkConfiguration} from '../check/check-configuration.ts';
import type {Context} from '../console/context.ts';
import {findGateway, noGateway} from '../home/gateway-access.ts';
import {alerts} from './checks/alerts.ts';
import {
	type Check,
	type DoctorWorld,
	failed,
	type CheckResult,
	type SeenGateway,
	notAsked,
	unknown,
} from './checks/check.ts';
import {configuration, environmentFile, secrets} from './checks/configuration.ts';
import {gateway} from './checks/gateway.ts';
import {disk, home} from './checks/home.ts';
import {journal} from './checks/journal.ts';
import {clock, program, terminal} from './checks/machine.ts';
import {model} from './checks/model.ts';
import {port, reach} from './checks/port.ts';
import {sandbox} from './checks/sandbox.ts';
import {servers} from './checks/servers.ts';
import {store} from './checks/store.ts';
import {targets} from './checks/targets.ts';

/** The time limit of a check. */
const limitMs = 10_000;

const maxFoundLength = 600;

type ExamineOptions = {
	/** Skips checks that contact machines or start others' programs. */
	readonly offline: boolean;
	readonly list?: readonly Check[];
};

/**
 * Examines the whole installation, checks in parallel, each for at most 10 s. Writes nothing into the home, and does not reject because of its findings. Texts are
 * escaped, and contain no known secret.
 *
 * @throws SvcError `profile_not_found`
 */
export async function examine(
	context: Context,
	{offline, list = checks}: ExamineOptions,
): Promise<readonly Finding[]> {
	const paths = context.paths();
	const [seen, {problems}] = await Promise.all([
		seeGateway(context),
		checkConfiguration(context, {asks: false}),
	]);
	const loaded = loadConfig({paths, environment: context.environment});
	const config = loaded.ok ? loaded.config : undefined;
	const world: DoctorWorld = {context, paths, config, problems, gateway: seen, offline, heard: []};
	const hidden = config ? secretsOfConfig(config) : [];
	const redact = createRedact(() => hidden);
	const looked = new Map<Check, readonly CheckResult[]>();
	for (const isLast of [false, true]) {
		// oxlint-disable-next-line no-await-in-loop -- what comes last draws on the others
		await Promise.all(
			list
				.filter(({comesLast = false}) => comesLast === isLast)
				.map(async check => {
					looked.set(check, await lookOnce(check, world));
				}),
		);
	}

	const isStoreTold = looked.get(store)?.some(({health}) => health === 'failed') === true;
	const toldOf = (check: Check): readonly CheckResult[] => {
		const all = looked.get(check) ?? [];
		const told = isStoreTold ? all.filter(({ofStore}) => ofStore !== true) : all;
		return all.length > 0 && told.length === 0 ? [unknown('see "store"')] : told;
	};

	return list.flatMap(check =>
		toldOf(check).map(({of, found, mend, health}): Finding => ({
			subject: escapeLine(of === undefined ? check.subject : `${check.subject} ${of}`, 80),
			health,
			found: escapeLine(redact(found), maxFoundLength),
			...(mend !== undefined && {mend: escapeLine(redact(mend), maxFoundLength)}),
		})),
	);
}

async function lookOnce(check: Check, world: DoctorWorld): Promise<readonly CheckResult[]> {
	if (check.asks && world.offline) {
		return [notAsked];
	}

	const deadline = new AbortController();
	const cancel = world.context.clock.after(limitMs, () => deadline.abort());
	try {
		const found = await within((async () => check.look(world, deadline.signal))(), deadline.signal);
		return [found].flat().filter(one => one !== false);
	} catch (error) {
		return [
			failed(
				deadline.signal.aborted
					? `this could not be looked at within ${limitMs / 1000} s`
					: `this could not be looked at: ${messageOf(error)}`,
			),
		];
	} finally {
		cancel();
	}
}

async function seeGateway(context: Context): Promise<SeenGateway> {
	try {
		const running = await findGateway(context);
		if (running) {
			return {kind: 'running', status: await running.status()};
		}

		const elsewhere = await noGateway(context);
		return {kind: 'none', ...(elsewhere !== '' && {elsewhere})};
	} catch (error) {
		return {kind: 'silent', reason: messageOf(error)};
	}
}

/** All checks, in the order of the report. */
const checks: readonly Check[] = [
	program,
	home,
	disk,
	journal,
	store,
	configuration,
	environmentFile,
	secrets,
	gateway,
	port,
	reach,
	model,
	targets,
	alerts,
	servers,
	sandbox,
	clock,
	terminal,
];
