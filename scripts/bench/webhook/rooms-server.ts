import {ensureHome, homePaths} from '../../../source/config/home-paths.ts';
import {createAuthorshipMark} from '../../../source/core/authorship-mark.ts';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {createIdSource} from '../../../source/core/ids.ts';
import {createLogger} from '../../../source/core/log.ts';
import {createRedact, createSecretList} from '../../../source/core/redact.ts';
import {createBroker} from '../../../source/core/reduce.ts';
import {createLiveConfig} from '../../../source/gateway/live-config.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {createReceiver} from '../../../source/webhook/receiver.ts';
import {answerBenchmark} from './child-usage.ts';

// The receiver and the store, joined as `source/gateway/open-rooms.ts` joins them, without the agent: what is measured is the way from the
// request to its answer. `SVC_HOME` names the data directory.

const environment = {PATH: process.env['PATH'] ?? '', SVC_HOME: process.env['SVC_HOME'] ?? ''};
const paths = homePaths({environment});
ensureHome(paths);
const broker = createBroker();
const {emit} = broker;
const secrets = createSecretList();
const redact = createRedact(secrets.all);
const log = createLogger({clock, redact, write() {}});
const live = createLiveConfig(
	{paths, environment, clock, emit, log},
	{onChange: async () => {}, onSecrets: secrets.part()},
);
const store = await openSqliteStore({clock, log}, {file: paths.stateDb});
const {webhook, runs} = live.current();

const receiver = createReceiver(
	{
		clock,
		ids: createIdSource(clock, store.lastId),
		intake: store.intake,
		journalFailing: () => undefined,
		routes: () => live.routes(),
		ownMark: createAuthorshipMark(Buffer.alloc(32)),
		deliver: async () => ({summary: 'delivered'}),
		onAccepted() {},
		onGroupChanged() {},
		jobOf: () => ({ok: false, reason: 'there are no jobs'}),
		homeOf: () => paths,
		limits: store.limits,
		multiplexing: () => false,
		emit,
		log,
		redact,
		metrics: async () => '',
		metricsHost: () => '127.0.0.1',
		environment: () => environment,
	},
	{
		host: webhook.host,
		port: webhook.port,
		maxQueued: () => runs.maxQueued,
	},
);
const {url} = await receiver.listen();
answerBenchmark(Number(new URL(url).port), async () => {
	await store[Symbol.asyncDispose]();
});
