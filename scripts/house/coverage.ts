import {type Profiler, Session} from 'node:inspector';
import {relative, resolve, sep} from 'node:path';
import {fileURLToPath} from 'node:url';

/** What ran meanwhile: the files of the house by path, with the functions of each that were entered, by where they begin. */
export type Entered = ReadonlyMap<string, ReadonlySet<number>>;

export type Coverage = Disposable & {
	/** What was entered since the last time. */
	take(): Entered;
};

/**
 * Counts what V8 enters of the files below `root`, of this process. To be started before they are loaded. The body of a module is no function of it: a
 * file that was only loaded was not entered.
 */
export function startCoverage(root: string): Coverage {
	const folder = resolve(root);
	const session = new Session();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: false});
	return {
		take() {
			let result: readonly Profiler.ScriptCoverage[] = [];
			// A session of this thread answers at once.
			session.post('Profiler.takePreciseCoverage', (error, taken) => {
				if (error) {
					throw error;
				}

				({result} = taken);
			});
			const entered = new Map<string, Set<number>>();
			for (const {url, functions} of result) {
				const path = url.startsWith('file:') ? pathIn(folder, url) : undefined;
				for (const {ranges, functionName} of path === undefined ? [] : functions) {
					const [range] = ranges;
					if (path !== undefined && range && range.count > 0 && isOfHouse(functionName, range)) {
						entered.set(path, (entered.get(path) ?? new Set()).add(range.startOffset));
					}
				}
			}

			return entered;
		},
		[Symbol.dispose]() {
			session.disconnect();
		},
	};
}

/** What the transpiler puts into files that name functions or use `using`. */
const ofTranspiler = /^__(?:name|using|callDispose|knownSymbol|typeError)$/;

/** Neither the body of a module nor a function that the transpiler added. */
const isOfHouse = (name: string, {startOffset}: {readonly startOffset: number}): boolean =>
	(name !== '' || startOffset !== 0) && !ofTranspiler.test(name);

/** `webhook/receive.ts`; `undefined` outside the folder. */
function pathIn(folder: string, url: string): string | undefined {
	const path = relative(folder, fileURLToPath(url));
	return path.startsWith('..') ? undefined : path.split(sep).join('/');
}
