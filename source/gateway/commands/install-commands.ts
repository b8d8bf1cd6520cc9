import {SvcError} from '../../core/errors.ts';
import type {InstallReview, OfferedInstall, WaitingInstall} from '../../core/install.ts';
import type {install as table} from '../contract/install.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** Maximum number of pending links: a page that opens links automatically must not flood the person with questions. */
const maxWaiting = 5;

/** How long a link waits for a person, milliseconds. */
const waitMs = 10 * 60_000;

/** Drops the link itself, which may contain secrets. */
const withoutLink = ({id, name, askedAt, expiresAt}: OfferedInstall): WaitingInstall => ({
	id,
	name,
	askedAt,
	expiresAt,
});

/** The commands for install links. Pending links are kept in memory and dropped once they expire. */
export function createInstallCommands(
	rooms: Pick<Rooms, 'clock' | 'live' | 'emit' | 'log'>,
): CommandsOf<typeof table> {
	let waiting: readonly OfferedInstall[] = [];
	let lastId = 0;

	const fresh = () => waiting.filter(({expiresAt}) => expiresAt > rooms.clock.now());

	const change = (offered: readonly OfferedInstall[]) => {
		waiting = offered;
		const installs = offered.map(withoutLink);
		rooms.emit({type: 'installs-changed', at: rooms.clock.now(), installs});
	};

	const review = async (link: string, name?: string): Promise<InstallReview> => {
		const {writtenServers} = await import('../../config/edit-servers.ts');
		const {reviewInstall} = await import('../../config/install-link/review-install.ts');
		return reviewInstall(link, {name}, writtenServers(rooms.live.current().paths));
	};

	return {
		reviewInstall: async ({link, name}) => review(link, name),
		async offerInstall({link}) {
			const {linkName} = await review(link);
			const others = fresh();
			const known = others.find(other => other.link === link);
			if (known) {
				return known;
			}

			if (others.length >= maxWaiting) {
				throw new SvcError(
					'too_many_links',
					`Cannot ask about tool server "${linkName}": ${maxWaiting} install links wait for an answer in the interface already`,
				);
			}

			lastId += 1;
			const at = rooms.clock.now();
			const offered = {id: lastId, name: linkName, link, askedAt: at, expiresAt: at + waitMs};
			change([...others, offered]);
			rooms.log.note(
				`A link asks for tool server "${linkName}": the interface (I) or "svc mcp install" decides`,
			);
			return offered;
		},
		listInstalls: async () => fresh(),
		async dismissInstall(id) {
			const rest = fresh().filter(other => other.id !== id);
			const isDismissed = rest.length < fresh().length;
			change(rest);
			return isDismissed;
		},
		async installServer({link, name: chosen, typedName}) {
			const reviewed = await review(link, chosen);
			const {name, entry, kind} = reviewed;
			if (kind === 'program' && typedName !== name) {
				throw new SvcError(
					'confirmation_needed',
					`Not installed: "${name}" runs a program on this machine, so its name has to be typed`,
				);
			}

			const {live, log} = rooms;
			const {setToolServer} = await import('../../config/edit-servers.ts');
			await setToolServer(live.current().paths, {name, entry}, {clock: rooms.clock});
			log.note(`Tool server "${name}" was installed from a link`);
			change(fresh().filter(other => other.link !== link));
			await live.reload();
			return reviewed;
		},
	};
}
