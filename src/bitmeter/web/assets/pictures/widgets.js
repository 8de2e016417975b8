// Which lessons have a picture to play with.
import { el } from "../shared/dom.js";
import { entropyArea, informationArea, surplusArea } from "./areas.js";
import { markovChain, mixtureOfCoins } from "./chains.js";
import { kraftBudget } from "./coding.js";
import { grownModel, smallNetwork } from "./growing.js";
import { typicalSequences } from "./typical.js";

function toTheGame() {
  return el("div", { class: "card pad" }, el("p", {}, "How many guesses do you need for the next letter? ", el("a", { href: "#/game" }, "Play Shannon's guessing game"), " against three models."));
}

export const WIDGETS = {
  information: informationArea, entropy: entropyArea, "cross-entropy": surplusArea, stationary: mixtureOfCoins, rate: markovChain,
  convergence: typicalSequences, text: toTheGame, ngram: grownModel, neural: smallNetwork, codes: kraftBudget,
};
