import {createSampler} from '../../agent/sampler.ts';
import type {ConfigError} from '../../config/config.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {openApprovals, type OpenedApprovals} from '../approvals/open-approvals.ts';
import {rulesWithoutOwner} from '../approvals/rules-without-owner.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {createLiveServers, type LiveServers} from './live-servers.ts';
import {createManagerOpener} from './open-manager.ts';

/**
 * Opens tool servers and approvals and connects them: changed tools void rules, and a tool that a person allows becomes the known definition. Dispose of it after the
 * workers and before the store.
 */
export async function openTools(world: RoomWorld, {model}: {readonly model: LiveModel}) {
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
	return {
		approvals,
		servers,
		/** Applies the rules of the current configuration: removed rules have ended when this returns. Resolves when the others are stored; never rejects. */
		rulesChanged,
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	};
}

const isAboutRules = ({path: [section]}: ConfigError): boolean => section === 'approvals';

/** Joins the tool servers with the configuration, the approvals and the faces. Nothing connects before `changed()`. */
function openServers(
	world: RoomWorld,
	{
		model,
		approvals,
	}: {
		readonly model: Pick<LiveModel, 'current'>;
		readonly approvals: Pick<OpenedApprovals, 'toolsChanged' | 'fillIn'>;
	},
): LiveServers {
	const {live, redact} = world;
	const log = world.log.from('mcp');
	const config = () => live.current();
	const opener = createManagerOpener({
		...world,
		log,
		workdir: () => config().toolsets.terminal.workdir,
		elicit: approvals.fillIn,
		sample: createSampler({model: name => model.current(name), redact}),
	});
	const servers = createLiveServers({
		...world,
		log,
		config,
		openManager: profile => opener.open(profile),
		onTools: change => approvals.toolsChanged(change),
	});
	return {
		...servers,
		async [Symbol.asyncDispose]() {
			await servers[Symbol.asyncDispose]();
			await opener[Symbol.asyncDispose]();
		},
	};
}
