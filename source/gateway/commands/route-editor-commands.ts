import {defaultProfile} from '../../config/home-paths.ts';
import type {Route} from '../../config/route.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {silentLogger} from '../../core/log.ts';
import type {RouteDraft} from '../../core/route-editor.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {routeEditor as table} from '../contract/route-editor.ts';
import type {Rooms} from '../rooms.ts';

const defaultLast = 200;
const maxLast = 1000;

/** Maximum number of filters whose effect is tried one by one. */
const maxFilters = 20;

/** The commands for editing routes. Their modules are loaded by the first call. */
export function createRouteEditorCommands(
	rooms: Pick<Rooms, 'clock' | 'broker' | 'live' | 'store' | 'log' | 'deliverer'>,
): CommandsOf<typeof table> {
	const surroundings = async () => {
		const {live} = rooms;
		const {surroundingsOf} = await import('../route-editor/surroundings.ts');
		return surroundingsOf(rooms, {config: live.current(), load: text => live.load(text)});
	};

	const read = async (name: string, source: Route['source']) => {
		const {readWrittenRoute} = await import('../../config/route-edit/written-route.ts');
		return readWrittenRoute(rooms.live.current().paths, name, source);
	};

	const judge = async (name: string, draft: RouteDraft) => {
		const {judgeDraft} = await import('../../config/route-edit/judge-draft.ts');
		const written = await read(draft.from ?? name, draft.source);
		return judgeDraft(name, {draft, written}, await surroundings());
	};

	/** Compiles a draft for the receiver, or returns the first reason why it cannot be served. */
	const ready = async (name: string, draft: RouteDraft) => {
		const {route, problems} = await judge(name, draft);
		const [problem] = problems;
		return problem || !route
			? {problem: [problem?.path, problem?.message].filter(Boolean).join(' ') || 'is not served'}
			: {settings: (await compiler())(route)};
	};

	const compiler = async () => {
		const {createRouteCompiler} = await import('../../webhook/admission.ts');
		const {createFilterFiles} = await import('../../webhook/filter-files.ts');
		const files = createFilterFiles({clock: rooms.clock, log: silentLogger});
		const {profiles} = rooms.live.current();
		const compile = createRouteCompiler(profile => files(profiles.of(profile).paths.home));
		return (route: Route) => ({route, compiled: compile(route)});
	};

	return {
		async listRouteFields() {
			const {routeFields} = await import('../../config/route-edit/route-fields.ts');
			return routeFields();
		},
		async readRoute(name, {source} = {}) {
			const written =
				source === undefined
					? [await read(name, 'static'), await read(name, 'dynamic')].find(
							({entry}) => entry !== undefined,
						)
					: await read(name, source);
			if (written?.entry === undefined) {
				return undefined;
			}

			const {withoutSecrets} = await import('../../config/route-edit/kept-secrets.ts');
			const {fingerprintOf} = await import('../../config/route-edit/written-route.ts');
			const {entry, file, line, lineOf} = written;
			const definition = withoutSecrets(entry ?? {});
			if (!isJsonObject(definition)) {
				throw new SvcError(
					'route_not_editable',
					`Cannot edit route "${name}": its entry is no mapping, see "${file}" line ${line}`,
				);
			}

			return {
				name,
				source: written.source,
				file,
				line,
				lines: Object.fromEntries(Object.keys(definition).map(key => [key, lineOf(key)])),
				definition,
				fingerprint: fingerprintOf(entry),
			};
		},
		async checkRoute(name, draft) {
			const {problems, warnings, notes} = await judge(name, draft);
			return {problems, warnings, ...(notes && notes.length > 0 && {notes})};
		},
		readTargetProblem: async (name, {profile = defaultProfile} = {}) =>
			rooms.deliverer.problemNow(name, profile),
		async previewRoute(name, {delivery, ...draft}) {
			const stored = await rooms.store.journal.get(delivery);
			if (!stored) {
				throw new SvcError(
					'delivery_not_found',
					`Cannot find delivery "${delivery}" in the journal`,
				);
			}

			const {problem, settings} = await ready(name, draft);
			if (!settings || !stored.body) {
				return {problem: problem ?? 'the body of this delivery is not kept any more', notes: []};
			}

			const {previewOf} = await import('../route-editor/preview.ts');
			const {notesOn} = await import('../simulate/judge.ts');
			return {
				...previewOf(stored, settings),
				notes: notesOn([settings.route], [stored.headers]),
			};
		},
		async backtestRoute(name, {traffic = name, last = defaultLast, ...draft}) {
			const {problem, settings} = await ready(name, draft);
			if (!settings) {
				return {problem, deliveries: 0, leftOut: 0, notes: []};
			}

			const {backtest} = await import('../route-editor/backtest.ts');
			const {notesOn} = await import('../simulate/judge.ts');
			const served = rooms.live.routes().routes.get(traffic);
			const compile = await compiler();
			const today = served && compile(served);
			const alone = settings.route.filters
				.slice(0, maxFilters)
				.map(filter => compile({...settings.route, filters: [filter]}));
			const result = await backtest(
				{journal: rooms.store.journal, clock: rooms.clock},
				{
					today,
					edited: settings,
					filters: alone,
					traffic: {name: traffic, profile: served?.profile ?? settings.route.profile},
					last: Math.min(Math.max(last, 1), maxLast),
				},
			);
			return {...result, notes: notesOn([settings.route])};
		},
		async listPayloadKeys(name) {
			const {payloadKeys} = await import('../route-editor/payload-keys.ts');
			return payloadKeys(rooms.store.journal, name);
		},
		async planRouteSave(name, draft) {
			const {planSave} = await import('../../config/route-edit/save-draft.ts');
			return planSave(name, draft, await surroundings());
		},
		async saveRoute(name, draft) {
			const {saveDraft} = await import('../../config/route-edit/save-draft.ts');
			const {file, secret, warnings} = await saveDraft(name, draft, {
				surroundings: await surroundings(),
				clock: rooms.clock,
			});
			const {live, log} = rooms;
			if (draft.source === 'static') {
				await live.reload();
			}

			log.note(`Route "${name}" was saved`, {
				source: draft.source,
				...(draft.from !== undefined && draft.from !== name && {before: draft.from}),
			});
			const {routeAddress} = await import('../receiver/open-receiver.ts');
			const address = routeAddress(rooms, name);
			return {file, warnings, ...(secret !== undefined && {secret}), ...address};
		},
	};
}
