import {refreshBuild} from '../scripts/build/refresh.mjs';
import {bundleOfficialServers} from './official-servers.mjs';

/** Whatever starts the tests, the bundle that some of them run is of these sources. */
export default async function setup(project) {
	refreshBuild();
	await bundleOfficialServers();
	project.onTestsRerun(refreshBuild);
}
