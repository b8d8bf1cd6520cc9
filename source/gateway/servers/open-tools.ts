import type {ConfigError} from '../../config/config.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {openApprovals, type OpenedApprovals} from '../approvals/open-approvals.ts';
import {rulesWithoutOwner} from '../approvals/rules-without-owner.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {openServers, type OpenedServers} from './open-servers.ts';

/** Tool servers and the queue of what needs a yes. Disposal ends the servers first: what they wait for is denied. */
export type OpenedTools = AsyncDisposable & {
	readonly approvals: OpenedApprovals;
	readonly servers: OpenedServers;
	/** Takes over the rules of the configuration as it is now: what it does not say any more has ended when this returns. Resolves when the others are kept; never rejects. */
	rulesChanged(): Promise<void>;
};

/** Opens both and joins them: what a server changes voids rules, what a person allows is the known definition. Dispose of it after the workers and before the store. */
export async function openTools(
	world: RoomWorld,
	{model}: {readonly model: LiveModel},
): Promise<OpenedTools> {
	const {live, log} = world;
	await using stack = new AsyncDisposableStack();
	const approvals = stack.use(
		await openApprovals(world, {
			onAllowed(tool) {
				void servers.accept(tool);
			},
		}),
	);
	const servers = stack.use(openServers(world, {model, approvals}));
	let said: ReadonlySet<string> = new Set();
	const sayWithoutOwner = () => {
		const config = live.current();
		if (config.approvalRules.length > 0) {
			const warnings = rulesWithoutOwner(config, {clock: world.clock, table: live.routes()});
			const texts = new Set(warnings.map(formatDiagnostic));
			for (const text of [...texts].filter(one => !said.has(one))) {
				log.warn(text);
			}

			said = texts;
		}
	};

	const rulesChanged = async () => {
		const {approvalRules, itemErrors} = live.current();
		const kept = approvals.setFileRules({
			rules: approvalRules,
			isWhole: live.broken.length === 0 && ![...itemErrors.values()].some(isAboutRules),
		});
		sayWithoutOwner();
		await kept;
	};

	await rulesChanged();
	const all = stack.move();
	return {approvals, servers, rulesChanged, [Symbol.asyncDispose]: () => all.disposeAsync()};
}

const isAboutRules = ({path: [section]}: ConfigError): boolean => section === 'approvals';
