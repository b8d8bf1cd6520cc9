import type {RouteTable} from '../config/config.ts';
import type {Route} from '../config/route.ts';
import type {AuthorshipMark} from '../core/authorship-mark.ts';
import type {KeyedMutex} from '../core/keyed-mutex.ts';
import type {World} from '../core/world.ts';
import type {Limits} from '../store/limits/port.ts';
import type {Intake} from '../store/port.ts';
import type {CompiledRoute} from './compiled-route.ts';
import type {DeliverDirect} from './direct-delivery.ts';
import type {JobOf} from './job-of.ts';
import type {Scripts} from './script.ts';
import type {SignatureDoctor} from './signature-doctor.ts';

/** What the rows of the response table ask. */
export type ReceiverServices = Pick<World, 'clock' | 'log'> & {
	readonly intake: Intake;
	/** Why nothing can be written to the journal, as it told last; `undefined` while it can. */
	readonly journalFailing: () => string | undefined;
	/** The served routes; asked for every request, once for those of one turn. Reloads the file of dynamic routes when it changed. */
	readonly routes: () => RouteTable;
	readonly compile: (route: Route) => CompiledRoute;
	/** Whether `/p/<profile>/webhooks/<route>` is served now. */
	readonly multiplexing: () => boolean;
	readonly doctor: SignatureDoctor;
	/** Rates of the routes, and starts of `overflow: queue` routes. */
	readonly limits: Pick<Limits, 'windows' | 'paces'>;
	readonly scripts: Scripts;
	/** Where a profile keeps what its routes name. */
	readonly homeOf: HomeOf;
	/** Knows what this gateway wrote itself. */
	readonly ownMark: AuthorshipMark;
	readonly mutex: KeyedMutex;
	readonly deliver: DeliverDirect;
	/** The scheduled job of a `cron_job` route. */
	readonly jobOf: JobOf;
	readonly maxQueued: () => number;
	/** Whether the server is bound to this machine alone: only then `INSECURE_NO_AUTH` counts. */
	readonly isLoopback: boolean;
	/** New requests are turned away. */
	readonly isDraining: () => boolean;
	/** Aborts when what still runs must end. */
	readonly stopping: AbortSignal;
	/** Logs a warning the first time that `key` comes. */
	readonly warnOnce: (key: string, message: string) => void;
};

/**
 * Where a profile keeps what its routes name, absolute: `in_file` resolves in `home`, `script` in `scripts`. `default` is the profile of this gateway.
 *
 * @see manual/filters-and-templates.md#filters, manual/filters-and-templates.md#scripts
 */
type HomeOf = (profile: string) => {readonly home: string; readonly scripts: string};
