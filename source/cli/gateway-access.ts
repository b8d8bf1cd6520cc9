import {existsSync} from 'node:fs';
import type {GatewayPort} from '../gateway/port.ts';
import type {Journal, Runs} from '../store/port.ts';
import type {Context} from './context.ts';

/** What the reading commands need: of a gateway that runs, or of the journal on disk when none does. */
export type Records = AsyncDisposable & {
	/** `false`: read from disk, no gateway runs. */
	readonly live: boolean;
	readonly deliveries: Pick<Journal, 'get' | 'list'>;
	readonly runs: Pick<Runs, 'get' | 'list'>;
};

/** Opens the records of the context's home. @throws SvcError */
export async function openRecords(context: Context): Promise<Records> {
	const port = await findGateway(context);
	if (port) {
		return {
			live: true,
			deliveries: {get: id => port.getDelivery(id), list: filter => port.listDeliveries(filter)},
			runs: {get: id => port.getRun(id), list: filter => port.listRuns(filter)},
			[Symbol.asyncDispose]: () => port[Symbol.asyncDispose](),
		};
	}

	const {openSqliteReader} = await import('../store/sqlite-reader.ts');
	const reader = await openSqliteReader(context.paths().stateDb);
	return {
		live: false,
		deliveries: reader.journal,
		runs: reader.runs,
		[Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
	};
}

/** The gateway that runs for the context's home, `undefined` when none does. @throws SvcError when it does not answer */
export async function findGateway(context: Context): Promise<GatewayPort | undefined> {
	const {socket} = context.paths();
	if (!existsSync(socket)) {
		return undefined;
	}

	const [{connectGateway}, {isNoGateway}] = await Promise.all([
		import('../gateway/remote-port.ts'),
		import('../gateway/control-client.ts'),
	]);
	try {
		return await connectGateway({clock: context.clock}, {socket});
	} catch (error) {
		if (isNoGateway(error)) {
			return undefined;
		}

		throw error;
	}
}

/** The gateway that runs for the context's home. @throws SvcError `gateway_not_running` with what to do */
export async function requireGateway(context: Context): Promise<GatewayPort> {
	const port = await findGateway(context);
	if (!port) {
		const {SvcError} = await import('../core/errors.ts');
		throw new SvcError(
			'gateway_not_running',
			`No gateway runs for "${context.paths().home}": start it with "svc", "svc gateway" or "svc gateway run"`,
		);
	}

	return port;
}
