import {ensureHome} from '../../config/home-paths.ts';
import type {CommandsOf} from '../../gateway/contract/operation.ts';
import type {sessions as table} from '../../gateway/contract/sessions.ts';
import type {Context} from '../console/context.ts';
import {findGateway} from '../home/gateway-access.ts';

type OpenSessions = AsyncDisposable & {readonly sessions: CommandsOf<typeof table>};

/**
 * The chat sessions of the home: of its gateway, or of its journal when none runs. To look at them nothing is locked; to `change` them the home is, for as long.
 *
 * @throws SvcError as `lockHome` and `openSqliteStore` do
 */
export async function openSessions(
	context: Context,
	{change}: {readonly change: boolean},
): Promise<OpenSessions> {
	const gateway = await findGateway(context);
	if (gateway) {
		return {sessions: gateway, async [Symbol.asyncDispose]() {}};
	}

	const [{createSessionCommands}, {createSessionDesk}] = await Promise.all([
		import('../../gateway/commands/session-commands.ts'),
		import('../../api/sessions/session-desk.ts'),
	]);
	const {clock} = context;
	const paths = context.paths();
	await using stack = new AsyncDisposableStack();
	if (!change) {
		const {openSqliteReader} = await import('../../store/sqlite-reader.ts');
		const {sessions} = stack.use(await openSqliteReader(paths.stateDb));
		const desk = {remove: async () => false};
		const opened = stack.move();
		return {
			sessions: createSessionCommands(async () => ({sessions, desk})),
			[Symbol.asyncDispose]: async () => opened.disposeAsync(),
		};
	}

	const [{lockHome}, {openSqliteStore}] = await Promise.all([
		import('../../gateway/control/lock.ts'),
		import('../../store/open-sqlite-store.ts'),
	]);
	ensureHome(paths);
	stack.use(lockHome(paths));
	const {sessions} = stack.use(await openSqliteStore({clock}, {file: paths.stateDb}));
	const desk = createSessionDesk({clock, sessions});
	const opened = stack.move();
	return {
		sessions: createSessionCommands(async () => ({sessions, desk})),
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}
