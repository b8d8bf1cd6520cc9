// Ink asks for the React devtools only when DEV=true is set; the bundle has none.
export default {initialize() {}, connectToDevTools() {}};
